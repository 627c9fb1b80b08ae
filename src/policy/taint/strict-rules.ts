import { namedIn } from './content-rules.js';
import { findingOf } from './finding.js';
import { namedBy } from './identifiers.js';
import type { JudgedCall, JudgeState } from './judge-state.js';
import { readPlace } from './named-place.js';
import { inputKey } from './place-rules.js';
import type { TaintFinding } from './taint-verdict.js';
import { isConsequential } from './tool-labels.js';

/** R8 and R9 as they are written: every value that decides something needs an endorsement. */
export function strictFindings(state: JudgeState, call: JudgedCall): TaintFinding[] {
  const { endorsements, index } = state;
  const isAct = isConsequential(call.labels);
  const findings: TaintFinding[] = [];
  for (const leaf of call.leaves) {
    const input = inputKey(call, leaf);
    const value = { source: 'approval', kind: 'value', value: leaf.text, level: call.level, input } as const;
    if (leaf.role === 'content') {
      for (const found of namedIn(state, leaf.text)) {
        const to = namedBy(found);
        if (endorsements.hasPlace(to, 'pay') || endorsements.hasIdentifier(found.text, input)) continue;
        const at = { pointer: leaf.pointer, text: found.text };
        findings.push(findingOf('content', at, index.find(found.text), [{ ...value, value: found.text }]));
      }
      continue;
    }
    const to = readPlace(leaf.text);
    const isPlace = leaf.role === 'destination';
    const isKnown = isPlace
      ? endorsements.hasPlace(to, to.kind === 'host' ? 'message' : call.level)
      : endorsements.hasControl(leaf.text, input);
    if (isKnown || endorsements.hasIdentifier(leaf.text, input)) continue;
    const match = index.find(leaf.text);
    // What a read is asked for is only held if it was seen.
    if (match === undefined && !isAct) continue;
    const rule = match !== undefined ? 'tainted' : isPlace ? 'destination' : 'control';
    const place = {
      source: 'approval',
      kind: to.kind === 'host' ? 'host' : 'place',
      value: to.kind === 'host' ? to.host : to.text,
      level: call.level,
    } as const;
    findings.push(findingOf(rule, leaf, match, isPlace ? [place] : [value]));
  }
  if (call.labels.effects.has('destructive'))
    findings.push(findingOf('destructive', { pointer: '', text: '' }, undefined, []));
  return [...findings, ...flowFindings(state, call)];
}

/** Private data and a way out: each pair of a package that showed some and a tool that reaches outside needs a person once. */
function flowFindings({ label, index, endorsements }: JudgeState, call: JudgedCall): TaintFinding[] {
  const { effects, asks } = call.labels;
  const isOutside = effects.has('send') || (asks !== undefined && call.leaves.length > 0);
  if (label.secrecy === 'public' || !isOutside) return [];
  const sources = index.privatePackages;
  const open = sources?.filter((it) => !endorsements.hasFlow(it, call));
  if (open?.length === 0) return [];
  const endorses = (open ?? []).map((it) => endorsements.flowOf(it, call));
  return [findingOf('outside', { pointer: '', text: (open ?? []).join(', ') }, undefined, endorses)];
}
