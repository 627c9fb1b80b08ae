// Tools of which nobody says what they do: most calls of them are reads.
import { findingOf } from './finding.js';
import { identifiersIn, namedBy } from './identifiers.js';
import type { JudgedCall, JudgeState } from './judge-state.js';
import { readPlace } from './named-place.js';
import { inputKey, isEndorsed, isOwn, unknownPlace, valueEndorsement } from './place-rules.js';
import type { TaintFinding } from './taint-verdict.js';

/**
 * Whether a session has seen results of one package only, and now asks this package for something that none of them
 * contained. Nobody says whether the tool only reads; a value of the results, or a place, is not taken on trust.
 */
export function isOwnTalk({ index, endorsements }: JudgeState, call: JudgedCall): boolean {
  if (call.labels.effects.has('destructive') || !index.isOnlyFrom(call.package)) return false;
  return call.leaves.every((leaf) => {
    const { text, isNumber, role } = leaf;
    if (role === 'handle' || endorsements.hasIdentifier(text, inputKey(call, leaf))) return true;
    if (isNumber && text.length < 3) return true;
    if (readPlace(text).kind !== 'name' || identifiersIn(text).length > 0) return false;
    return index.find(text) === undefined;
  });
}

/**
 * A tool that says it only reads still reaches outside with what it is given: a place that nobody vouched for, and what
 * results of other packages contained. Its own package knows already what it showed.
 */
export function readFindings(state: JudgeState, call: JudgedCall): TaintFinding[] {
  return call.leaves.flatMap((leaf) => {
    if (state.endorsements.hasIdentifier(leaf.text, inputKey(call, leaf))) return [];
    const whole = readPlace(leaf.text);
    const places = whole.kind === 'host' ? [whole] : identifiersIn(leaf.text).map(namedBy);
    const unknown = places.find(
      (it) => !isOwn(state, it) && !isEndorsed(state, { ...call, level: 'visit' }, it),
    );
    if (unknown !== undefined) return [unknownPlace(state, { ...call, level: 'visit' }, leaf, unknown)];
    if (places.length > 0 || leaf.isNumber) return [];
    const match = state.index.find(leaf.text);
    const isOwnResult = match?.source?.package === call.package;
    return match === undefined || isOwnResult
      ? []
      : [findingOf('tainted', leaf, match, [valueEndorsement(call, leaf)])];
  });
}
