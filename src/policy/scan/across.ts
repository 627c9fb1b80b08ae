import type { Span } from '../guardrails/span.js';
import type { KnownHit, KnownValues } from './known.js';
import { masked } from './placeholder.js';
import { flatViewsOf } from './view.js';

/** Text that is looked at in one go, and how much of it again in the next. */
const window = 64 * 1024;
const overlap = 2048;

/** A piece of one of the given texts. */
export interface PlacedHit extends Span {
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
  values: KnownValues,
  placeholders: () => readonly string[],
): Generator<void, readonly PlacedHit[]> {
  let found: PlacedHit[] | undefined;
  let starts: Float64Array | undefined;
  const joined = masked(texts.length === 1 ? (texts[0] as string) : texts.join(''), placeholders);
  for (let from = 0; from < joined.length; from += window) {
    const part = joined.slice(from, from + window + overlap);
    for (const hit of values.find(part, flatViewsOf(part))) {
      starts ??= startsOf(texts);
      found ??= [];
      found.push(...placed({ ...hit, start: hit.start + from, end: hit.end + from }, starts));
    }
    if (from + window < joined.length) yield;
  }
  return found ?? none;
}

const none: readonly PlacedHit[] = [];

/** Where each text begins in all of them together, and where the last one ends. */
function startsOf(texts: readonly string[]): Float64Array {
  const starts = new Float64Array(texts.length + 1);
  for (const [index, text] of texts.entries()) starts[index + 1] = (starts[index] as number) + text.length;
  return starts;
}

function placed({ start, end, secret, long }: KnownHit, starts: Float64Array): PlacedHit[] {
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
