import { decodedViews } from '../scan/decoded-view.js';
import type { CallLeaf } from './call-leaf.js';
import { findingOf } from './finding.js';
import { squeeze } from './folded-text.js';
import { type FoundIdentifier, identifiersIn, namedBy, possibleHostsIn, visibleText } from './identifiers.js';
import type { JudgedCall, JudgeState } from './judge-state.js';
import { isHostName, readPlace } from './named-place.js';
import { inputKey } from './place-rules.js';
import { hasVerbatim, isGivenBy } from './seen-texts.js';
import { shownTexts } from './shown-text.js';
import { splitRuns } from './split-runs.js';
import type { TaintFinding } from './taint-verdict.js';
import { seen } from './value-index.js';

/** Links, addresses and accounts in the content for which nobody vouched. */
export function contentFindings(state: JudgeState, call: JudgedCall): TaintFinding[] {
  const findings: TaintFinding[] = [];
  for (const leaf of call.leaves) {
    if (leaf.role !== 'content') continue;
    for (const found of namedIn(state, leaf.text)) {
      const to = namedBy(found);
      if (to.kind === 'address' && state.endorsements.isOwn(to.text)) continue;
      const input = inputKey(call, leaf);
      if (state.endorsements.hasPlace(to, 'message', { input, level: 'message' })) continue;
      const value = to.kind === 'host' ? to.host : to.text;
      const kind = to.kind === 'host' ? 'host' : 'place';
      // That it may be mentioned there does not mean that something may go there.
      findings.push(
        findingOf('content', { pointer: leaf.pointer, text: found.text }, state.index.find(found.text), [
          { source: 'approval', kind, value, level: 'message', input },
        ]),
      );
    }
  }
  return findings;
}

/** Links, addresses and accounts; and names that are hosts or words of code, if a result contained them. */
export function namedIn(
  { index }: Pick<JudgeState, 'index'>,
  text: string,
): Pick<FoundIdentifier, 'text' | 'kind'>[] {
  const found = new Map<string, Pick<FoundIdentifier, 'text' | 'kind'>>();
  for (const view of shownTexts(text)) {
    for (const it of identifiersIn(view)) if (!found.has(it.text)) found.set(it.text, it);
    for (const it of possibleHostsIn(view))
      if (!found.has(it) && index.findToken(it) !== undefined) found.set(it, { text: it, kind: 'host' });
  }
  return [...found.values()];
}

const token = /[\p{L}\p{N}][\p{L}\p{N}._+-]{4,}[\p{L}\p{N}]/gu;

interface PrivateOptions {
  /** They go to the hosts of the package only, which may have what it showed itself. Default: false. */
  readonly isToOwner?: boolean;
  /** What says where they go. Default: the destinations. */
  readonly sinks?: readonly CallLeaf[];
}

/** Tokens of private results, such as a password or a number, that would go to another party. */
export function privateFindings(
  state: JudgeState,
  call: JudgedCall,
  destinations: readonly CallLeaf[],
  { isToOwner = false, sinks = destinations }: PrivateOptions = {},
): TaintFinding[] {
  const findings: TaintFinding[] = [];
  const looked = new Set<string>();
  for (const leaf of [...call.leaves.filter((it) => it.role === 'content'), ...destinations]) {
    if (leaf.role === 'destination' && isSeenLink(state, leaf.text)) continue;
    for (const text of tokensIn(isToOwner ? visibleText(leaf.text) : outgoing(leaf))) {
      const plain = squeeze(text);
      if (looked.has(plain)) continue;
      looked.add(plain);
      const input = inputKey(call, leaf);
      // Most words were never seen in private results; looking that up costs least.
      const match = state.index.findReadable(plain, seen.private);
      if (match === undefined) continue;
      // What a package showed goes back to where it came from. The name of a host does not count.
      if (isToOwner && (isHostName(text) || isGivenBy(state.index, call.package, text))) continue;
      if (state.endorsements.hasIdentifier(text, input) || state.endorsements.isOwnPart(text)) continue;
      const number = match.source?.call;
      if (number !== undefined && isNamedSource(state, number) && isNamedSink(state, sinks)) continue;
      findings.push(
        findingOf('private', { pointer: leaf.pointer, text }, match, [
          { source: 'approval', kind: 'value', value: text, level: call.level, input },
        ]),
      );
    }
  }
  return findings;
}

/** The tokens of a text, also encoded ones and those that were split into pieces. */
function tokensIn(text: string): string[] {
  const found: string[] = [];
  for (const view of decodedViews(text))
    for (const [it] of view.text.matchAll(token)) if (isIdentifierLike(it)) found.push(it);
  for (const parts of splitRuns(text)) addJoined(parts, found);
  return found;
}

/** Neighboring pieces together, as far as they look like a token. */
function addJoined(parts: readonly string[], found: string[]): void {
  for (let from = 0; from < parts.length; from++) {
    let joined = parts[from] as string;
    for (let at = from + 1; at < parts.length; at++) {
      joined += parts[at] as string;
      if (joined.length >= 6 && isIdentifierLike(joined) && !isJoinedDate(joined)) found.push(joined);
    }
  }
}

/** The digits of a day, perhaps with a time. */
function isJoinedDate(text: string): boolean {
  return /^(?:(?:19|20)\d\d(?:0\d|1[0-2])[0-3]\d|[0-3]\d(?:0\d|1[0-2])(?:19|20)\d\d)(?:[0-2]\d[0-5]\d(?:\d\d)?)?$/.test(
    text,
  );
}

/** What leaves with a leaf, beside the places that it names: of a link, its page and query. */
function outgoing({ role, text }: CallLeaf): string {
  if (role === 'destination') return pageOf(text);
  let rest = visibleText(text);
  for (const { kind, text: place } of identifiersIn(text))
    if (kind !== 'account') rest = rest.replace(place, ` ${pageOf(place)} `);
  return rest;
}

/** A link that was shown as it is contains nothing that the agent added. */
function isSeenLink({ endorsements, index }: JudgeState, text: string): boolean {
  const to = readPlace(text);
  return (
    to.kind === 'host' &&
    to.page !== '' &&
    endorsements.mayOpenLink(to) &&
    hasVerbatim(index, `${to.host}${to.page}`)
  );
}

function pageOf(place: string): string {
  const to = readPlace(place);
  return to.kind === 'host' ? to.page : '';
}

/** Whether the person's own words name an argument of the call that a value came from. */
function isNamedSource({ callTexts, endorsements }: JudgeState, call: number): boolean {
  return callTexts.get(call)?.some((it) => endorsements.isNamed(it)) ?? false;
}

/** Whether the person's own words name all places and objects. */
function isNamedSink({ endorsements }: JudgeState, sinks: readonly CallLeaf[]): boolean {
  const isNamed = ({ role, text }: CallLeaf) =>
    role === 'identifier' ? endorsements.isNamed(text) : endorsements.isNamedPlace(text);
  return sinks.length > 0 && sinks.every(isNamed);
}

/** With a digit or a sign inside, and neither a date nor a time. */
function isIdentifierLike(text: string): boolean {
  if (!/[\d._+-]/.test(text)) return false;
  if (/^\d+(?:[.,]\d+)?$/.test(text) && text.length < 6) return false;
  if (/^[\p{L}]+(?:-[\p{L}]+)+$/u.test(text)) return false;
  return !/^(?:19|20)\d\d-\d\d(?:-\d\d)?/.test(text);
}
