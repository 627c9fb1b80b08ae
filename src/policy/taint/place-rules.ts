// What vouches for a place, and what an approval of it covers.
import type { CallLeaf } from './call-leaf.js';
import type { Endorsement } from './endorsements.js';
import { findingOf } from './finding.js';
import { identifiersIn, namedBy } from './identifiers.js';
import type { JudgedCall, JudgeState } from './judge-state.js';
import { isRegistrable, type NamedPlace, readPlace } from './named-place.js';
import { hasVerbatim } from './seen-texts.js';
import type { TaintFinding } from './taint-verdict.js';
import type { TaintLevel } from './tool-labels.js';
import { seen } from './value-index.js';

/** The person's own addresses are constants of the operator. */
export function isOwn(state: JudgeState, to: NamedPlace): boolean {
  return to.kind === 'address' && state.endorsements.isOwn(to.text);
}

/**
 * Whether somebody vouched for a place at the level of the call. Of a tool whose level nobody declared, only what covers every
 * level counts, or an approval of the same input.
 */
export function isEndorsed(state: JudgeState, call: JudgedCall, leaf: CallLeaf, to: NamedPlace): boolean {
  const { endorsements, index } = state;
  const needed = hasKnownLevel(call) ? call.level : 'pay';
  if (endorsements.hasPlace(to, needed, { input: inputKey(call, leaf), level: call.level })) return true;
  if (call.level !== 'visit' || to.kind !== 'host' || !to.plain) return false;
  if (isUnseenHost(state, to)) return true;
  return endorsements.hasVisit(to, to.page !== '' && hasVerbatim(index, `${to.host}${to.page}`));
}

/**
 * A form that says nothing but the user's own addresses, at a host that no result had named when it was opened. Nothing leaves
 * that the opening did not tell already, beside what the operator vouches for.
 */
export function isOwnForm(state: JudgeState, call: JudgedCall, to: NamedPlace): boolean {
  if (call.level !== 'message' || to.kind !== 'host' || !to.plain || to.page !== '') return false;
  if (!state.endorsements.isFreeHost(to.host)) return false;
  const said = call.leaves.filter((it) => it.role !== 'destination');
  return (
    said.some((it) => it.role === 'content') &&
    said.every((it) =>
      it.role === 'content'
        ? isOwn(state, readPlace(it.text))
        : state.index.find(it.text, seen.private) === undefined,
    )
  );
}

/**
 * A bare registrable host that occurs in no result was named by the person or by nobody. Only a few of them are free, and none
 * whose name is a private token: somebody can register a host for each letter of a secret.
 */
export function isUnseenHost({ index, endorsements }: JudgeState, to: NamedPlace): boolean {
  if (to.kind !== 'host' || !to.plain || to.page !== '' || !isRegistrable(to.host)) return false;
  if (!endorsements.mayOpenFreeHost(to.host)) return false;
  const [label = ''] = to.host.split('.');
  if (/[\d-]/.test(label) && index.find(label, seen.private) !== undefined) return false;
  return !index.contains(to.host) && !index.contains(to.host.replaceAll('.', 'dot'));
}

export function unknownPlace(
  state: JudgeState,
  call: JudgedCall,
  leaf: CallLeaf,
  to: NamedPlace,
): TaintFinding {
  const match = state.index.find(to.kind === 'host' ? to.host : leaf.text);
  return findingOf('destination', leaf, match, [placeEndorsement(state, call, leaf, to)]);
}

/** Whether somebody said what the inputs of the tool decide. A visit is one whatever else the tool does. */
function hasKnownLevel({ labels, level }: JudgedCall): boolean {
  return labels.undeclaredRoles !== true || level === 'visit';
}

/** What an approval of a place covers. A visit with a path that nobody has shown counts as a message. */
function placeEndorsement(state: JudgeState, call: JudgedCall, leaf: CallLeaf, to: NamedPlace): Endorsement {
  const { level } = call;
  const only = hasKnownLevel(call) ? {} : { input: inputKey(call, leaf) };
  if (to.kind !== 'host') return { source: 'approval', kind: 'place', value: to.text, level, ...only };
  const isMadeUp = level === 'visit' && to.page !== '' && !hasVerbatim(state.index, `${to.host}${to.page}`);
  const covered: TaintLevel = isMadeUp ? 'message' : level;
  return { source: 'approval', kind: 'host', value: to.host, level: covered, ...only };
}

/** The name under which endorsements know an input. */
export function inputKey(
  call: Pick<JudgedCall, 'package' | 'tool'>,
  { input }: Pick<CallLeaf, 'input'>,
): string {
  return `${call.package}/${call.tool}/${input}`;
}

export function valueEndorsement(call: JudgedCall, leaf: CallLeaf): Endorsement {
  return {
    source: 'approval',
    kind: 'value',
    value: leaf.text,
    level: call.level,
    input: inputKey(call, leaf),
  };
}

/** The places that a text is or contains. */
export function placesIn({ text }: Pick<CallLeaf, 'text'>): NamedPlace[] {
  const whole = readPlace(text);
  return whole.kind === 'host' ? [whole] : identifiersIn(text).map(namedBy);
}
