import { findingOf } from './finding.js';
import { identifiersIn, namedBy } from './identifiers.js';
import type { JudgedCall, JudgeState } from './judge-state.js';
import { readPlace } from './named-place.js';
import type { TaintFinding } from './taint-verdict.js';

/** R8 and R9 as they are written: every value that decides something needs an endorsement. */
export function strictFindings(state: JudgeState, call: JudgedCall): TaintFinding[] {
  const { endorsements, index, label } = state;
  const findings: TaintFinding[] = [];
  for (const leaf of call.leaves) {
    const input = `${call.package}/${call.tool}/${leaf.input}`;
    const value = { source: 'approval', kind: 'value', value: leaf.text, level: call.level, input } as const;
    if (leaf.role === 'content') {
      for (const found of identifiersIn(leaf.text)) {
        if (endorsements.hasPlace(namedBy(found), 'pay')) continue;
        const at = { pointer: leaf.pointer, text: found.text };
        findings.push(findingOf('content', at, index.find(found.text), [value]));
      }
      continue;
    }
    const to = readPlace(leaf.text);
    const isKnown =
      leaf.role === 'destination'
        ? endorsements.hasPlace(to, to.kind === 'host' ? 'message' : call.level)
        : endorsements.hasControl(leaf.text, input);
    if (isKnown || endorsements.hasIdentifier(leaf.text, input)) continue;
    const match = index.find(leaf.text);
    const rule = match !== undefined ? 'tainted' : leaf.role === 'destination' ? 'destination' : 'control';
    const place = {
      source: 'approval',
      kind: to.kind === 'host' ? 'host' : 'place',
      value: to.kind === 'host' ? to.host : to.text,
      level: call.level,
    } as const;
    findings.push(findingOf(rule, leaf, match, leaf.role === 'destination' ? [place] : [value]));
  }
  if (call.labels.effects.has('destructive'))
    findings.push(findingOf('destructive', { pointer: '', text: '' }, undefined, []));
  if (label.secrecy !== 'public' && call.labels.effects.has('send') && !endorsements.hasFlow(call))
    findings.push(findingOf('outside', { pointer: '', text: '' }, undefined, []));
  return findings;
}
