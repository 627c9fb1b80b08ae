// The plain way, without any shortcut: what the quick one is compared with.
import type { Span } from '../../src/policy/guardrails/span.js';
import { type Spellings, spellingsOf } from '../../src/policy/scan/needle.js';
import { masked } from '../../src/policy/scan/placeholder.js';
import { lettersOf, Seeker, skeletonOf } from './plain-seeker.js';
import { plainFlatViews, plainViews, type View } from './plain-view.js';

interface KnownHit extends Span {
  /** Which of the values. */
  readonly secret: number;
  /** Found as a piece, or without what stands between; else whole and literal, which even a short one can be. */
  readonly long: boolean;
}

/** Finds given values in texts, however they are spelled. Made once for a set of values. */
export class PlainValues {
  readonly values: readonly string[];
  readonly #exact: Seeker;
  readonly #bare: Seeker;
  readonly #literal: Spellings['literal'];

  constructor(values: readonly string[]) {
    this.values = values;
    const spelled = values.map(spellingsOf);
    this.#exact = new Seeker(spelled.flatMap((it) => it.exact));
    this.#bare = new Seeker(spelled.flatMap((it) => it.bare));
    this.#literal = spelled.flatMap((it) => it.literal);
  }

  get empty(): boolean {
    return this.#exact.empty && this.#bare.empty && this.#literal.length === 0;
  }

  /** Takes time in proportion to the text, not to the number of values. */
  find(text: string, views: readonly View[] = plainViews(text)): KnownHit[] {
    if (this.empty) return [];
    return views.flatMap((view) => this.#findIn(view).map((hit) => placed(hit, view)));
  }

  #findIn({ text }: View): KnownHit[] {
    const found: KnownHit[] = [];
    for (const { text: needle, secret } of this.#literal) {
      for (let at = text.indexOf(needle); at !== -1; at = text.indexOf(needle, at + 1))
        found.push({ start: at, end: at + needle.length, secret, long: false });
    }
    if (!this.#exact.empty) {
      const letters = lettersOf(text);
      for (const { start, end, needle } of this.#exact.find(letters.codes))
        found.push({ start, end, secret: needle.secret, long: true });
    }
    for (const keepsMarks of this.#bare.empty ? [] : [false, true]) {
      const { codes, at } = skeletonOf(text, keepsMarks);
      for (const { start, end, needle } of this.#bare.find(codes)) {
        const last = at[end - 1] as number;
        const width = (text.codePointAt(last) as number) > 0xffff ? 2 : 1;
        const span = { start: at[start] as number, end: last + width };
        found.push({ ...(needle.widen ? widened(text, span) : span), secret: needle.secret, long: true });
      }
    }
    return found;
  }
}

/** A character at each end of base64 holds bits of its neighbors; the signs at its end say how long it is. */
function widened(text: string, { start, end }: Span): Span {
  const first = /[A-Za-z0-9+/_-]/.test(text.charAt(start - 1)) ? start - 1 : start;
  let last = /[A-Za-z0-9+/_-]/.test(text.charAt(end)) ? end + 1 : end;
  while (text.charAt(last) === '=' && last - end < 3) last++;
  return { start: first, end: last };
}

function placed(hit: KnownHit, { from, to }: View): KnownHit {
  if (from === null || to === null) return hit;
  return { ...hit, start: from[hit.start] as number, end: to[hit.end - 1] as number };
}

/** Text that is looked at in one go, and how much of it again in the next. */
const window = 64 * 1024;
const overlap = 2048;

/** A piece of one of the given texts. */
interface PlacedHit extends Span {
  /** Which text. */
  readonly index: number;
  readonly secret: number;
}

/**
 * Finds values in texts that stand beside each other as if they were one, so that a value that was split is found too.
 * Stops after each window, so that whoever asks can do something else meanwhile.
 */
export function* findAcross(
  texts: readonly string[],
  values: PlainValues,
  placeholders: readonly string[],
): Generator<void, PlacedHit[]> {
  const found: PlacedHit[] = [];
  const starts = new Float64Array(texts.length + 1);
  for (const [index, text] of texts.entries()) starts[index + 1] = (starts[index] as number) + text.length;
  const joined = masked(texts.join(''), () => placeholders);
  for (let from = 0; from < joined.length; from += window) {
    const part = joined.slice(from, from + window + overlap);
    for (const hit of values.find(part, plainFlatViews(part)))
      found.push(...spread({ ...hit, start: hit.start + from, end: hit.end + from }, starts));
    if (from + window < joined.length) yield;
  }
  return found;
}

function spread({ start, end, secret, long }: KnownHit, starts: Float64Array): PlacedHit[] {
  const hits: PlacedHit[] = [];
  let index = textAt(start, starts);
  // A short value that only comes about where two texts meet is a coincidence.
  if (!long && end > (starts[index + 1] as number)) return hits;
  for (; index + 1 < starts.length && (starts[index] as number) < end; index++) {
    const base = starts[index] as number;
    const from = Math.max(start, base);
    const to = Math.min(end, starts[index + 1] as number);
    if (to > from) hits.push({ index, start: from - base, end: to - base, secret });
  }
  return hits;
}

/** The text in which a place of the joined text lies. */
function textAt(at: number, starts: Float64Array): number {
  let low = 0;
  let high = starts.length - 2;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] as number) <= at) low = middle;
    else high = middle - 1;
  }
  return low;
}
