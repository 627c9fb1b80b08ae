import { type CallLeaf, leavesOf, withCheckedGuesses, withHandles } from './call-leaf.js';
import { identifiersIn } from './identifiers.js';
import { type JudgedCall, type JudgeState, judgedCallOf, type TaintCall } from './judge-state.js';
import { levelOf } from './level.js';
import { standardFindings } from './standard-rules.js';
import { strictFindings } from './strict-rules.js';
import type { TaintFinding, TaintMode, TaintVerdict } from './taint-verdict.js';
import { isConsequential } from './tool-labels.js';
import { seen } from './value-index.js';

/** Whether a call may go on, or waits for a person. */
export function judgeCall(state: JudgeState, call: TaintCall, mode: TaintMode): TaintVerdict {
  const { labels } = call;
  const isTrusted = state.label.integrity === 'trusted';
  const isJudged = isConsequential(labels) || labels.asks !== undefined;
  if (mode === 'off' || !isJudged || (isTrusted && !state.hasOwnValues))
    return { kind: 'allow', wouldHold: undefined };
  const written = leavesOf(call.input, labels);
  const level = levelOf(labels, written);
  const isFinal = level === 'pay' || labels.effects.has('destructive');
  const checked = withCheckedGuesses(written, state.index);
  // A purchase or a deletion names its objects: that the package gave them out does not vouch for them.
  const leaves = isFinal ? checked.map(asIdentifier) : withHandles(checked, call, state.index);
  const judged = judgedCallOf(call, leaves, level);
  const found = mode === 'strict' ? strictFindings(state, judged) : standardFindings(state, judged);
  const findings = isTrusted ? found.filter((it) => isSeenDestination(state, judged, it)) : found;
  if (findings.length === 0) return { kind: 'allow', wouldHold: undefined };
  const hold = { level: judged.level, findings };
  return mode === 'observe' ? { kind: 'allow', wouldHold: hold } : { kind: 'hold', hold };
}

/**
 * In a session that has only seen values of the user's own account: the name of somebody can be among them who chose it, such as
 * the sender of a payment. A message or a payment does not go there on its own.
 */
function isSeenDestination(
  { index }: JudgeState,
  { labels, level, leaves }: JudgedCall,
  { rule, pointer }: TaintFinding,
): boolean {
  if (rule !== 'destination' || level === 'visit' || !labels.effects.has('send')) return false;
  const leaf = leaves.find((it) => it.pointer === pointer);
  if (leaf === undefined) return false;
  // Own values can contain an account in pieces, such as the subjects of several payments.
  const isAccount = level === 'pay' && identifiersIn(leaf.text).some((it) => it.kind === 'account');
  return isAccount || index.find(leaf.text, seen.other) !== undefined;
}

function asIdentifier(leaf: CallLeaf): CallLeaf {
  return leaf.role === 'handle' ? { ...leaf, role: 'identifier' } : leaf;
}
