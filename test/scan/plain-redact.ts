// The plain way, without any shortcut: what the quick one is compared with.
import type { Json } from '../../src/model/json.js';
import { type Leaf, leavesOf, withLeaves } from '../../src/policy/scan/leaves.js';
import type { Look } from '../../src/policy/scan/look.js';
import { type PatternHit, ruleNames } from '../../src/policy/scan/patterns.js';
import { masked, placeholder } from '../../src/policy/scan/placeholder.js';
import type { Finding, Hiding, Redacted } from '../../src/policy/scan/redact.js';
import { findAcross, type PlainValues } from './plain-known.js';
import { plainPatterns } from './plain-patterns.js';
import { plainViews } from './plain-view.js';

export type PlainHiding = Omit<Hiding, 'values'> & { readonly values: PlainValues };

interface Mark {
  readonly start: number;
  readonly end: number;
  readonly finding: Finding;
}

/** What stood beside something that is gone now may be recognized only then. */
const maxRounds = 8;

/**
 * Takes known values and whatever looks like a key out of all texts of a value, until nothing is left to find. It stops now
 * and then for whoever drives it.
 */
function* plainSteps(value: Json, hiding: readonly PlainHiding[], look: Look): Generator<void, Redacted> {
  const findings: Finding[] = [];
  let current = value;
  for (let round = 0; round < maxRounds; round++) {
    const next = yield* redactOnce(current, hiding, look);
    if (next.findings.length === 0) break;
    for (const it of next.findings) findings.push(it);
    current = next.value;
  }
  return { value: current, findings };
}

/** All at once on the texts as they came, so that a placeholder is never read and no end of a secret stays. */
function* redactOnce(value: Json, hiding: readonly PlainHiding[], look: Look): Generator<void, Redacted> {
  const { all, codeLists } = leavesOf(value);
  const marks = yield* marksOf(all, codeLists, hiding, look);
  if (marks.size === 0) return { value, findings: [] };
  const texts = all.map((leaf, index) => {
    const mine = marks.get(index);
    return mine === undefined ? undefined : replaced(leaf.text, mine);
  });
  const findings = [...marks.values()].flat().map((it) => it.finding);
  return { value: withLeaves(value, texts), findings };
}

/** Runs it to its end at once. */
export function plainRedact(value: Json, hiding: readonly PlainHiding[], look: Look): Redacted {
  const steps = plainSteps(value, hiding, look);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

function* marksOf(
  all: readonly Leaf[],
  codeLists: readonly (readonly number[])[],
  hiding: readonly PlainHiding[],
  look: Look,
): Generator<void, Map<number, Mark[]>> {
  const marks = new Map<number, Mark[]>();
  const add = (index: number, mark: Mark) => {
    const mine = marks.get(index);
    if (mine === undefined) marks.set(index, [mark]);
    else mine.push(mark);
  };
  const hide = hiding.filter((it) => !it.values.empty);
  const placeholders = hide.flatMap(({ values, nameOf }) =>
    values.values.flatMap((_, secret) => {
      const name = nameOf(secret);
      return name === undefined ? [] : [placeholder(name)];
    }),
  );
  for (const order of hide.length === 0 ? [] : ordersOf(all)) {
    const texts = order.map((index) => (all[index] as Leaf).text);
    for (const { values, nameOf } of hide) {
      for (const { index, start, end, secret } of yield* findAcross(texts, values, placeholders)) {
        const name = nameOf(secret);
        if (name !== undefined) add(order[index] as number, { start, end, finding: { kind: 'value', name } });
      }
    }
  }
  for (const list of hide.length === 0 ? [] : codeLists) {
    const texts = list.map((index) => String.fromCodePoint(Number((all[index] as Leaf).text)));
    for (const { values, nameOf } of hide) {
      for (const { index, secret } of yield* findAcross(texts, values, placeholders)) {
        const name = nameOf(secret);
        const at = list[index] as number;
        const { length } = (all[at] as Leaf).text;
        if (name !== undefined) add(at, { start: 0, end: length, finding: { kind: 'value', name } });
      }
    }
  }
  yield* marksInside(all, hide, [...placeholders, ...ruleNames.map(placeholder)], look, add);
  return marks;
}

/** Everything as it is written, and values without the keys between them. */
function ordersOf(all: readonly Leaf[]): number[][] {
  const written = all.map((_, index) => index);
  const values = written.filter((index) => all[index]?.kind !== 'key');
  return values.length === written.length || values.length < 2 ? [written] : [written, values];
}

/** Of each text by itself: what looks like a key, and known values inside encodings inside encodings. */
function* marksInside(
  all: readonly Leaf[],
  hide: readonly PlainHiding[],
  placeholders: readonly string[],
  look: Look,
  add: (index: number, mark: Mark) => void,
): Generator<void, void> {
  let since = 0;
  for (const [index, leaf] of all.entries()) {
    for (const { text, at } of partsOf(masked(leaf.text, () => placeholders))) {
      since += text.length;
      if (since > partSize) {
        since = 0;
        yield;
      }
      if (text.length < 6) continue;
      const views = plainViews(text);
      if (views.length > 1) {
        for (const { values, nameOf } of hide) {
          for (const { start, end, secret } of values.find(text, views.slice(1))) {
            const name = nameOf(secret);
            if (name !== undefined)
              add(index, { start: at + start, end: at + end, finding: { kind: 'value', name } });
          }
        }
      }
      if (leaf.media) continue;
      for (const { start, end, rule, text: found, guess } of patternsIn(leaf, text, views, look))
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

/** A text under a telling key reads like an assignment. */
function patternsIn(
  leaf: Leaf,
  text: string,
  views: ReturnType<typeof plainViews>,
  look: Look,
): PatternHit[] {
  const found = plainPatterns(text, look, views);
  if (leaf.under === undefined || leaf.kind !== 'text' || text.length > 200 || /\s/.test(text)) return found;
  const lead = `${leaf.under}: "`;
  const assigned = plainPatterns(`${lead}${text}"`, look, [
    { text: `${lead}${text}"`, from: null, to: null },
  ]);
  return [
    ...found,
    ...assigned.flatMap((it) => {
      const start = it.start - lead.length;
      const end = Math.min(text.length, it.end - lead.length);
      return start < 0 || end <= start ? [] : [{ ...it, start, end }];
    }),
  ];
}

function replaced(text: string, marks: readonly Mark[]): string {
  const sorted = [...marks].sort((a, b) => a.start - b.start || b.end - a.end);
  let clean = '';
  let done = 0;
  for (const { start, end, finding } of sorted) {
    if (start >= done) clean += text.slice(done, start) + placeholder(finding.name);
    done = Math.max(done, end);
  }
  return clean + text.slice(done);
}
