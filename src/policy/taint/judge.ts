import { type CallLeaf, leavesOf, withHandles } from './call-leaf.js';
import { type JudgeState, judgedCallOf, type TaintCall } from './judge-state.js';
import { levelOf } from './level.js';
import { standardFindings } from './standard-rules.js';
import { strictFindings } from './strict-rules.js';
import type { TaintMode, TaintVerdict } from './taint-verdict.js';
import { isConsequential } from './tool-labels.js';

/** Whether a call may go on, or waits for a person. */
export function judgeCall(state: JudgeState, call: TaintCall, mode: TaintMode): TaintVerdict {
  if (mode === 'off' || state.label.integrity === 'trusted' || !isConsequential(call.labels))
    return { kind: 'allow', wouldHold: undefined };
  const written = leavesOf(call.input, call.labels);
  const level = levelOf(call.labels, written);
  const isFinal = level === 'pay' || call.labels.effects.has('destructive');
  // A purchase or a deletion names its objects: that the package gave them out does not vouch for them.
  const leaves = isFinal ? written.map(asIdentifier) : withHandles(written, call, state.index);
  const judged = judgedCallOf(call, leaves, level);
  const findings = mode === 'strict' ? strictFindings(state, judged) : standardFindings(state, judged);
  if (findings.length === 0) return { kind: 'allow', wouldHold: undefined };
  const hold = { level: judged.level, findings };
  return mode === 'observe' ? { kind: 'allow', wouldHold: hold } : { kind: 'hold', hold };
}

function asIdentifier(leaf: CallLeaf): CallLeaf {
  return leaf.role === 'handle' ? { ...leaf, role: 'identifier' } : leaf;
}
