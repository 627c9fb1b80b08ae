import type { Json } from '../../model/json.js';
import { decodedViews } from './decoded-view.js';
import { inflatedViews } from './inflated-view.js';
import { findInJoined } from './joined-search.js';
import { collectTexts, type JsonText, type JsonTexts, replaceTexts } from './json-texts.js';
import type { KnownValues } from './known-values.js';
import { findPatterns, findPatternsInText, type PatternMatch, ruleNames } from './patterns.js';
import { maskPlaceholders, placeholder } from './placeholder.js';
import { recodedViews } from './recoded-view.js';
import type { ScanOptions } from './scan-options.js';
import { textPaths } from './text-path.js';

/** Known values to redact. Their names may depend on the package that is called. */
export interface HiddenValues {
  readonly values: KnownValues;
  /** The name for the placeholder; undefined: this value need not be hidden here. */
  readonly nameOf: (valueIndex: number) => string | undefined;
}

/** A secret that was found and replaced. */
export type Finding =
  | { readonly kind: 'value'; readonly name: string; readonly path?: string }
  | {
      readonly kind: 'pattern';
      readonly name: string;
      readonly text: string;
      readonly guess: boolean;
      /** Where it was, if the scan was asked for it. */
      readonly path?: string;
    };

export interface RedactionResult {
  readonly value: Json;
  readonly findings: readonly Finding[];
}

/** A span of one text that is to be replaced. */
interface Redaction {
  readonly start: number;
  readonly end: number;
  readonly finding: Finding;
}

/** Replacing one secret can make another one next to it recognizable, so the search is repeated. */
const maxRounds = 8;

/**
 * Replaces known values and everything that looks like a key in all texts of a JSON value, until nothing more is found.
 * Yields now and then, so that the caller can let other work run. `texts`: those of the value, if already collected.
 */
export function* redactSteps(
  value: Json,
  hidden: readonly HiddenValues[],
  options: ScanOptions,
  texts: JsonTexts = collectTexts(value),
): Generator<void, RedactionResult> {
  const findings: Finding[] = [];
  let current = value;
  let currentTexts = texts;
  for (let round = 0; round < maxRounds; round++) {
    const found = yield* findRedactions(currentTexts, hidden, options);
    const redactions = options.roots === undefined ? found : located(found, current, options.roots, options);
    if (redactions.size === 0) break;
    for (const ofText of redactions.values()) for (const it of ofText) findings.push(it.finding);
    current = withRedactions(current, currentTexts.all, redactions);
    currentTexts = collectTexts(current);
  }
  return { value: current, findings };
}

/** Adds the path to each finding, and leaves out those that the operator keeps. */
function located(
  found: Map<number, Redaction[]>,
  value: Json,
  roots: readonly string[],
  { isExempt }: ScanOptions,
): Map<number, Redaction[]> {
  if (found.size === 0) return found;
  const paths = textPaths(value, roots);
  const kept = new Map<number, Redaction[]>();
  for (const [index, ofText] of found) {
    const path = paths[index] ?? '';
    const rest = ofText.filter(
      ({ finding }) => finding.kind === 'value' || isExempt?.(path, finding.name) !== true,
    );
    if (rest.length > 0)
      kept.set(
        index,
        rest.map((it) => ({ ...it, finding: { ...it.finding, path } })),
      );
  }
  return kept;
}

/** Applies all redactions of a round together, so that no placeholder is searched and no end of a secret stays. */
function withRedactions(
  value: Json,
  all: readonly JsonText[],
  redactions: ReadonlyMap<number, readonly Redaction[]>,
): Json {
  const texts = all.map((it, index) => {
    const ofText = redactions.get(index);
    return ofText === undefined ? undefined : withPlaceholders(it.text, ofText);
  });
  return replaceTexts(value, texts);
}

/** The same without pauses. */
export function redactNow(
  value: Json,
  hidden: readonly HiddenValues[],
  options: ScanOptions,
): RedactionResult {
  const steps = redactSteps(value, hidden, options);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

type Add = (textIndex: number, redaction: Redaction) => void;

/** By index of the text. */
function* findRedactions(
  { all, codeLists }: JsonTexts,
  hidden: readonly HiddenValues[],
  options: ScanOptions,
): Generator<void, Map<number, Redaction[]>> {
  const redactions = new Map<number, Redaction[]>();
  const add: Add = (textIndex, redaction) => {
    const ofText = redactions.get(textIndex);
    if (ofText === undefined) redactions.set(textIndex, [redaction]);
    else ofText.push(redaction);
  };
  const nonEmpty = hidden.filter((it) => !it.values.empty);
  if (nonEmpty.length > 0) yield* findAcrossTexts(all, codeLists, nonEmpty, add);
  yield* findInsideTexts(all, nonEmpty, options, add);
  return redactions;
}

/** Known values in all texts joined, so that a value that was split over several texts is found too. */
function* findAcrossTexts(
  all: readonly JsonText[],
  codeLists: JsonTexts['codeLists'],
  hidden: readonly HiddenValues[],
  add: Add,
): Generator<void, void> {
  const placeholders = () => placeholdersOf(hidden);
  for (const order of joinOrders(all)) {
    const texts = order.map((index) => (all[index] as JsonText).text);
    for (const { values, nameOf } of hidden) {
      for (const { textIndex, start, end, valueIndex } of yield* findInJoined(texts, values, placeholders)) {
        const name = nameOf(valueIndex);
        if (name !== undefined)
          add(order[textIndex] as number, { start, end, finding: { kind: 'value', name } });
      }
    }
  }
  for (const list of codeLists) {
    const texts = list.map((index) => String.fromCodePoint(Number((all[index] as JsonText).text)));
    for (const { values, nameOf } of hidden) {
      for (const { textIndex, valueIndex } of yield* findInJoined(texts, values, placeholders)) {
        const name = nameOf(valueIndex);
        const index = list[textIndex] as number;
        const { length } = (all[index] as JsonText).text;
        if (name !== undefined) add(index, { start: 0, end: length, finding: { kind: 'value', name } });
      }
    }
  }
}

/** The placeholders of all values that are hidden here. */
function placeholdersOf(hidden: readonly HiddenValues[]): string[] {
  return hidden.flatMap(({ values, nameOf }) =>
    values.values.flatMap((_, valueIndex) => {
      const name = nameOf(valueIndex);
      return name === undefined ? [] : [placeholder(name)];
    }),
  );
}

/** The orders in which texts are joined: all of them, and all without the keys between the values. */
function joinOrders(all: readonly JsonText[]): number[][] {
  const everything = all.map((_, index) => index);
  const values = everything.filter((index) => all[index]?.kind !== 'key');
  return values.length === everything.length || values.length < 2 ? [everything] : [everything, values];
}

const partSize = 64 * 1024;
const partOverlap = 8 * 1024;
/** No secret that is searched in a single text is shorter. */
const minPartLength = 6;
const rulePlaceholders = ruleNames.map(placeholder);

/** Each text on its own: keys, and known values inside nested encodings. */
function* findInsideTexts(
  all: readonly JsonText[],
  hidden: readonly HiddenValues[],
  options: ScanOptions,
  add: Add,
): Generator<void, void> {
  const placeholders = () => [...placeholdersOf(hidden), ...rulePlaceholders];
  let sinceYield = 0;
  for (let index = 0; index < all.length; index++) {
    const source = all[index] as JsonText;
    const text = maskPlaceholders(source.text, placeholders);
    const isLong = text.length > partSize + partOverlap;
    for (let at = 0; at === 0 || at < text.length; at += isLong ? partSize : text.length + 1) {
      const part = isLong ? text.slice(at, at + partSize + partOverlap) : text;
      sinceYield += part.length;
      if (sinceYield > partSize) {
        sinceYield = 0;
        yield;
      }
      if (part.length >= minPartLength)
        findInPart(part, source, hidden, options, ({ start, end, finding }) =>
          add(index, { start: at + start, end: at + end, finding }),
        );
    }
  }
}

function findInPart(
  text: string,
  source: JsonText,
  hidden: readonly HiddenValues[],
  options: ScanOptions,
  add: (redaction: Redaction) => void,
): void {
  const plainViews = decodedViews(text);
  const unpacked = inflatedViews(plainViews, options.inflate);
  const views = unpacked.length === 0 ? plainViews : [...plainViews, ...unpacked];
  if (views.length > 1 && hidden.length > 0) {
    // The first view is the text itself, which the joined search covers.
    const decoded = views.slice(1);
    for (const { values, nameOf } of hidden) {
      for (const { start, end, valueIndex } of values.find(text, decoded)) {
        const name = nameOf(valueIndex);
        if (name !== undefined) add({ start, end, finding: { kind: 'value', name } });
      }
    }
  }
  if (source.media) return;
  // Known values have these forms in their index.
  const recoded = recodedViews(text);
  const all = recoded.length === 0 ? views : [...views, ...recoded];
  for (const match of findPatterns(text, options, all)) add(redactionOf(match));
  for (const match of findAssigned(source, text, options)) add(redactionOf(match));
}

function redactionOf({ start, end, rule, text, guess }: PatternMatch): Redaction {
  return { start, end, finding: { kind: 'pattern', name: rule, text, guess } };
}

const maxAssignedLength = 200;
const noMatches: readonly PatternMatch[] = [];

/** A member such as `"password": "…"` is searched as if it were the assignment `password: "…"`. */
function findAssigned(
  { parentKey, kind }: JsonText,
  text: string,
  options: ScanOptions,
): readonly PatternMatch[] {
  if (parentKey === undefined || kind !== 'text' || text.length > maxAssignedLength) return noMatches;
  if (/\s/.test(text)) return noMatches;
  const lead = `${parentKey}: "`;
  const matches = findPatternsInText(`${lead}${text}"`, options);
  if (matches.length === 0) return matches;
  return matches.flatMap((it) => {
    const start = it.start - lead.length;
    const end = Math.min(text.length, it.end - lead.length);
    return start < 0 || end <= start ? [] : [{ ...it, start, end }];
  });
}

/** Overlapping redactions become one placeholder, with the name of the first. */
function withPlaceholders(text: string, redactions: readonly Redaction[]): string {
  const sorted = [...redactions].sort((a, b) => a.start - b.start || b.end - a.end);
  let clean = '';
  let done = 0;
  for (const { start, end, finding } of sorted) {
    if (start >= done) clean += text.slice(done, start) + placeholder(finding.name);
    done = Math.max(done, end);
  }
  return clean + text.slice(done);
}
