// Tools of which nobody says what they do: most calls of them are reads.
import { type CallLeaf, isAmount } from './call-leaf.js';
import { privateFindings } from './content-rules.js';
import { findDisguised } from './disguised-value.js';
import { findingOf } from './finding.js';
import { identifiersIn } from './identifiers.js';
import type { JudgedCall, JudgeState } from './judge-state.js';
import { type NamedPlace, readPlace } from './named-place.js';
import { inputKey, isEndorsed, isOwn, placesIn, unknownPlace, valueEndorsement } from './place-rules.js';
import type { TaintFinding } from './taint-verdict.js';

/**
 * Whether a session has seen results of one package only, and now asks this package for something that none of them
 * contained. Nobody says whether the tool only reads; a value of the results, a place, or a number, which could be an
 * amount, is not taken on trust.
 */
export function isOwnTalk({ index, endorsements }: JudgeState, call: JudgedCall): boolean {
  if (call.labels.effects.has('destructive') || !index.isOnlyFrom(call.package)) return false;
  return call.leaves.every((leaf) => {
    const { text, role } = leaf;
    const input = inputKey(call, leaf);
    if (role === 'handle' || endorsements.hasIdentifier(text, input)) return true;
    if (isAmount(leaf)) return endorsements.hasControl(text, input);
    if (readPlace(text).kind !== 'name' || identifiersIn(text).length > 0) return false;
    return index.find(text) === undefined && findDisguised(index, text) === undefined;
  });
}

/**
 * A tool that says it only reads still reaches outside with what it is given: a place that nobody vouched for, and what
 * results of other packages contained. Its own package knows already what it showed.
 */
export function readFindings(state: JudgeState, call: JudgedCall): TaintFinding[] {
  const found = call.leaves.flatMap((leaf) => {
    if (state.endorsements.hasIdentifier(leaf.text, inputKey(call, leaf))) return [];
    const places = placesIn(leaf);
    const unknown = unknownIn(state, call, leaf, places);
    if (unknown.length > 0) return unknown;
    if (places.length > 0 || (leaf.isNumber && leaf.text.length < 5)) return [];
    const match = state.index.find(leaf.text);
    const isOwnResult = match?.source?.package === call.package;
    return match === undefined || isOwnResult
      ? []
      : [findingOf('tainted', leaf, match, [valueEndorsement(call, leaf)])];
  });
  // A longer question can contain a private token, as it is or disguised.
  const open = call.leaves.filter((it) => !found.some(({ pointer }) => pointer === it.pointer));
  return [...found, ...takenAlong(state, call, open)];
}

/** Private tokens of other packages in what a read is asked for. */
function takenAlong(state: JudgeState, call: JudgedCall, asked: readonly CallLeaf[]): TaintFinding[] {
  const leaves = asked.map((it): CallLeaf => ({ ...it, role: 'content' }));
  return privateFindings(state, { ...call, leaves }, [], { isToOwner: true });
}

/**
 * A tool that declares that it only reads sends what it is asked for to the hosts of its package: private tokens of other
 * packages are not taken along. If the caller can choose the host, it is a visit.
 */
export function askFindings(state: JudgeState, call: JudgedCall): TaintFinding[] {
  const tokens = takenAlong(state, call, call.leaves);
  if (call.labels.asks !== 'any') return tokens;
  const places = call.leaves.flatMap((leaf) => unknownIn(state, call, leaf, placesIn(leaf)));
  return [...places, ...tokens];
}

/** The first place that nobody vouched for, as a finding. */
function unknownIn(
  state: JudgeState,
  call: JudgedCall,
  leaf: CallLeaf,
  places: readonly NamedPlace[],
): TaintFinding[] {
  const visit = { ...call, level: 'visit' } as const;
  const unknown = places.find((it) => !isOwn(state, it) && !isEndorsed(state, visit, leaf, it));
  return unknown === undefined ? [] : [unknownPlace(state, visit, leaf, unknown)];
}
