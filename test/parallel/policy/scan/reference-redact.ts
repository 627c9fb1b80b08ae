// Reference implementation without optimizations: the scanner must give the same results.
import type { Json } from '../../../../src/model/json.js';
import { collectTexts, type JsonText, replaceTexts } from '../../../../src/policy/scan/json-texts.js';
import { type PatternMatch, ruleNames } from '../../../../src/policy/scan/patterns.js';
import { maskPlaceholders, placeholder } from '../../../../src/policy/scan/placeholder.js';
import type { Finding, HiddenValues, RedactionResult } from '../../../../src/policy/scan/redact-secrets.js';
import type { ScanOptions } from '../../../../src/policy/scan/scan-options.js';
import { referenceViews } from './reference-decoded-view.js';
import { findInJoined, type ReferenceValues } from './reference-known-values.js';
import { referencePatterns } from './reference-patterns.js';

export type ReferenceHiddenValues = Omit<HiddenValues, 'values'> & { readonly values: ReferenceValues };

interface Redaction {
  readonly start: number;
  readonly end: number;
  readonly finding: Finding;
}

/** Replacing one secret can make another one next to it recognizable, so the search is repeated. */
const maxRounds = 8;

/** Replaces known values and everything that looks like a key, until nothing more is found. Yields now and then. */
function* referenceSteps(
  value: Json,
  hidden: readonly ReferenceHiddenValues[],
  options: ScanOptions,
): Generator<void, RedactionResult> {
  const findings: Finding[] = [];
  let current = value;
  for (let round = 0; round < maxRounds; round++) {
    const next = yield* redactOnce(current, hidden, options);
    if (next.findings.length === 0) break;
    for (const it of next.findings) findings.push(it);
    current = next.value;
  }
  return { value: current, findings };
}

/** Applies all redactions of a round together. */
function* redactOnce(
  value: Json,
  hidden: readonly ReferenceHiddenValues[],
  options: ScanOptions,
): Generator<void, RedactionResult> {
  const { all, codeLists } = collectTexts(value);
  const redactions = yield* findRedactions(all, codeLists, hidden, options);
  if (redactions.size === 0) return { value, findings: [] };
  const texts = all.map((source, index) => {
    const ofText = redactions.get(index);
    return ofText === undefined ? undefined : withPlaceholders(source.text, ofText);
  });
  const findings = [...redactions.values()].flat().map((it) => it.finding);
  return { value: replaceTexts(value, texts), findings };
}

/** The same without pauses. */
export function referenceRedact(
  value: Json,
  hidden: readonly ReferenceHiddenValues[],
  options: ScanOptions,
): RedactionResult {
  const steps = referenceSteps(value, hidden, options);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

function* findRedactions(
  all: readonly JsonText[],
  codeLists: readonly (readonly number[])[],
  hidden: readonly ReferenceHiddenValues[],
  options: ScanOptions,
): Generator<void, Map<number, Redaction[]>> {
  const redactions = new Map<number, Redaction[]>();
  const add = (index: number, redaction: Redaction) => {
    const ofText = redactions.get(index);
    if (ofText === undefined) redactions.set(index, [redaction]);
    else ofText.push(redaction);
  };
  const nonEmpty = hidden.filter((it) => !it.values.empty);
  const placeholders = nonEmpty.flatMap(({ values, nameOf }) =>
    values.values.flatMap((_, valueIndex) => {
      const name = nameOf(valueIndex);
      return name === undefined ? [] : [placeholder(name)];
    }),
  );
  for (const order of nonEmpty.length === 0 ? [] : joinOrders(all)) {
    const texts = order.map((index) => (all[index] as JsonText).text);
    for (const { values, nameOf } of nonEmpty) {
      for (const { textIndex, start, end, valueIndex } of yield* findInJoined(texts, values, placeholders)) {
        const name = nameOf(valueIndex);
        if (name !== undefined)
          add(order[textIndex] as number, { start, end, finding: { kind: 'value', name } });
      }
    }
  }
  for (const list of nonEmpty.length === 0 ? [] : codeLists) {
    const texts = list.map((index) => String.fromCodePoint(Number((all[index] as JsonText).text)));
    for (const { values, nameOf } of nonEmpty) {
      for (const { textIndex, valueIndex } of yield* findInJoined(texts, values, placeholders)) {
        const name = nameOf(valueIndex);
        const at = list[textIndex] as number;
        const { length } = (all[at] as JsonText).text;
        if (name !== undefined) add(at, { start: 0, end: length, finding: { kind: 'value', name } });
      }
    }
  }
  yield* findInsideTexts(all, nonEmpty, [...placeholders, ...ruleNames.map(placeholder)], options, add);
  return redactions;
}

/** All texts, and all without the keys between the values. */
function joinOrders(all: readonly JsonText[]): number[][] {
  const everything = all.map((_, index) => index);
  const values = everything.filter((index) => all[index]?.kind !== 'key');
  return values.length === everything.length || values.length < 2 ? [everything] : [everything, values];
}

/** Each text on its own: keys, and known values inside nested encodings. */
function* findInsideTexts(
  all: readonly JsonText[],
  hidden: readonly ReferenceHiddenValues[],
  placeholders: readonly string[],
  options: ScanOptions,
  add: (index: number, redaction: Redaction) => void,
): Generator<void, void> {
  let sinceYield = 0;
  for (const [index, source] of all.entries()) {
    for (const { text, at } of partsOf(maskPlaceholders(source.text, () => placeholders))) {
      sinceYield += text.length;
      if (sinceYield > partSize) {
        sinceYield = 0;
        yield;
      }
      if (text.length < 6) continue;
      const views = referenceViews(text);
      if (views.length > 1) {
        for (const { values, nameOf } of hidden) {
          for (const { start, end, valueIndex } of values.find(text, views.slice(1))) {
            const name = nameOf(valueIndex);
            if (name !== undefined)
              add(index, { start: at + start, end: at + end, finding: { kind: 'value', name } });
          }
        }
      }
      if (source.media) continue;
      for (const { start, end, rule, text: found, guess } of patternsIn(source, text, views, options))
        add(index, {
          start: at + start,
          end: at + end,
          finding: { kind: 'pattern', name: rule, text: found, guess },
        });
    }
  }
}

const partSize = 64 * 1024;
const partOverlap = 8 * 1024;

function* partsOf(text: string): Generator<{ text: string; at: number }> {
  if (text.length <= partSize + partOverlap) yield { text, at: 0 };
  else
    for (let at = 0; at < text.length; at += partSize)
      yield { text: text.slice(at, at + partSize + partOverlap), at };
}

/** A member such as `"password": "…"` is searched as if it were an assignment. */
function patternsIn(
  source: JsonText,
  text: string,
  views: ReturnType<typeof referenceViews>,
  options: ScanOptions,
): PatternMatch[] {
  const matches = referencePatterns(text, options, views);
  if (source.parentKey === undefined || source.kind !== 'text' || text.length > 200 || /\s/.test(text))
    return matches;
  const lead = `${source.parentKey}: "`;
  const assigned = referencePatterns(`${lead}${text}"`, options, [
    { text: `${lead}${text}"`, from: null, to: null },
  ]);
  return [
    ...matches,
    ...assigned.flatMap((it) => {
      const start = it.start - lead.length;
      const end = Math.min(text.length, it.end - lead.length);
      return start < 0 || end <= start ? [] : [{ ...it, start, end }];
    }),
  ];
}

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
