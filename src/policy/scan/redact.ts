import type { Json } from '../../model/json.js';
import { findAcross } from './across.js';
import type { KnownValues } from './known.js';
import { type Leaf, type Leaves, leavesOf, withLeaves } from './leaves.js';
import type { Look } from './look.js';
import { findIn, findPatterns, type PatternHit, ruleNames } from './patterns.js';
import { masked, placeholder } from './placeholder.js';
import { viewsOf } from './view.js';

/** Values to hide, under names that may depend on who is asked. */
export interface Hiding {
  readonly values: KnownValues;
  /** Undefined: this one need not be hidden here. */
  readonly nameOf: (secret: number) => string | undefined;
}

/** Something that was taken out, or stood in the way. */
export type Finding =
  | { readonly kind: 'value'; readonly name: string }
  | { readonly kind: 'pattern'; readonly name: string; readonly text: string; readonly guess: boolean };

export interface Redacted {
  readonly value: Json;
  readonly findings: readonly Finding[];
}

interface Mark {
  readonly start: number;
  readonly end: number;
  readonly finding: Finding;
}

/** What stood beside something that is gone now may be recognized only then. */
const maxRounds = 8;

/**
 * Takes known values and whatever looks like a key out of all texts of a value, until nothing is left to find. It stops now
 * and then for whoever drives it. `leaves` are those of the value, where somebody has them already.
 */
export function* redactSteps(
  value: Json,
  hiding: readonly Hiding[],
  look: Look,
  leaves: Leaves = leavesOf(value),
): Generator<void, Redacted> {
  const findings: Finding[] = [];
  let current = value;
  let parts = leaves;
  for (let round = 0; round < maxRounds; round++) {
    const marks = yield* marksOf(parts, hiding, look);
    if (marks.size === 0) break;
    for (const mine of marks.values()) for (const it of mine) findings.push(it.finding);
    current = withMarks(current, parts.all, marks);
    parts = leavesOf(current);
  }
  return { value: current, findings };
}

/** All at once on the texts as they came, so that a placeholder is never read and no end of a secret stays. */
function withMarks(value: Json, all: readonly Leaf[], marks: ReadonlyMap<number, readonly Mark[]>): Json {
  const texts = all.map((leaf, index) => {
    const mine = marks.get(index);
    return mine === undefined ? undefined : replaced(leaf.text, mine);
  });
  return withLeaves(value, texts);
}

/** Runs it to its end at once. */
export function redactNow(value: Json, hiding: readonly Hiding[], look: Look): Redacted {
  const steps = redactSteps(value, hiding, look);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

type Add = (index: number, mark: Mark) => void;

function* marksOf(
  { all, codeLists }: Leaves,
  hiding: readonly Hiding[],
  look: Look,
): Generator<void, Map<number, Mark[]>> {
  const marks = new Map<number, Mark[]>();
  const add: Add = (index, mark) => {
    const mine = marks.get(index);
    if (mine === undefined) marks.set(index, [mark]);
    else mine.push(mark);
  };
  const hide = hiding.filter((it) => !it.values.empty);
  if (hide.length > 0) yield* marksAcross(all, codeLists, hide, add);
  yield* marksInside(all, hide, look, add);
  return marks;
}

/** Known values over all texts together, so that one that was split is found too. */
function* marksAcross(
  all: readonly Leaf[],
  codeLists: Leaves['codeLists'],
  hide: readonly Hiding[],
  add: Add,
): Generator<void, void> {
  const placeholders = () => placeholdersOf(hide);
  for (const order of ordersOf(all)) {
    const texts = order.map((index) => (all[index] as Leaf).text);
    for (const { values, nameOf } of hide) {
      for (const { index, start, end, secret } of yield* findAcross(texts, values, placeholders)) {
        const name = nameOf(secret);
        if (name !== undefined) add(order[index] as number, { start, end, finding: { kind: 'value', name } });
      }
    }
  }
  for (const list of codeLists) {
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
}

/** Of those values that are hidden from whoever is asked. */
function placeholdersOf(hide: readonly Hiding[]): string[] {
  return hide.flatMap(({ values, nameOf }) =>
    values.values.flatMap((_, secret) => {
      const name = nameOf(secret);
      return name === undefined ? [] : [placeholder(name)];
    }),
  );
}

/** Everything as it is written, and values without the keys between them. */
function ordersOf(all: readonly Leaf[]): number[][] {
  const written = all.map((_, index) => index);
  const values = written.filter((index) => all[index]?.kind !== 'key');
  return values.length === written.length || values.length < 2 ? [written] : [written, values];
}

const partSize = 64 * 1024;
const partOverlap = 8 * 1024;
/** Nothing that is looked for in a text by itself is shorter. */
const shortestPart = 6;
const rulePlaceholders = ruleNames.map(placeholder);

/** Of each text by itself: what looks like a key, and known values inside encodings inside encodings. */
function* marksInside(
  all: readonly Leaf[],
  hide: readonly Hiding[],
  look: Look,
  add: Add,
): Generator<void, void> {
  const placeholders = () => [...placeholdersOf(hide), ...rulePlaceholders];
  let since = 0;
  for (let index = 0; index < all.length; index++) {
    const leaf = all[index] as Leaf;
    const text = masked(leaf.text, placeholders);
    const isLong = text.length > partSize + partOverlap;
    for (let at = 0; at === 0 || at < text.length; at += isLong ? partSize : text.length + 1) {
      const part = isLong ? text.slice(at, at + partSize + partOverlap) : text;
      since += part.length;
      if (since > partSize) {
        since = 0;
        yield;
      }
      if (part.length >= shortestPart)
        markPart(part, leaf, hide, look, ({ start, end, finding }) =>
          add(index, { start: at + start, end: at + end, finding }),
        );
    }
  }
}

function markPart(
  text: string,
  leaf: Leaf,
  hide: readonly Hiding[],
  look: Look,
  add: (mark: Mark) => void,
): void {
  const views = viewsOf(text);
  if (views.length > 1 && hide.length > 0) {
    const hidden = views.slice(1);
    for (const { values, nameOf } of hide) {
      for (const { start, end, secret } of values.find(text, hidden)) {
        const name = nameOf(secret);
        if (name !== undefined) add({ start, end, finding: { kind: 'value', name } });
      }
    }
  }
  if (leaf.media) return;
  for (const hit of findPatterns(text, look, views)) add(markOf(hit));
  for (const hit of assignedIn(leaf, text, look)) add(markOf(hit));
}

function markOf({ start, end, rule, text, guess }: PatternHit): Mark {
  return { start, end, finding: { kind: 'pattern', name: rule, text, guess } };
}

const longestAssigned = 200;
const noHits: readonly PatternHit[] = [];

/** A text under a telling key reads like an assignment. */
function assignedIn({ under, kind }: Leaf, text: string, look: Look): readonly PatternHit[] {
  if (under === undefined || kind !== 'text' || text.length > longestAssigned) return noHits;
  if (/\s/.test(text)) return noHits;
  const lead = `${under}: "`;
  const found = findIn(`${lead}${text}"`, look);
  if (found.length === 0) return found;
  return found.flatMap((it) => {
    const start = it.start - lead.length;
    const end = Math.min(text.length, it.end - lead.length);
    return start < 0 || end <= start ? [] : [{ ...it, start, end }];
  });
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
