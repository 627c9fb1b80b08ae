import type { TextSpan } from '../guardrails/text-span.js';
import { unescapedViews } from './decoded-view.js';
import type { KnownMatch, KnownValues } from './known-values.js';
import { maskPlaceholders } from './placeholder.js';

/** Characters that are searched at once, and characters that two neighboring windows share. */
const window = 64 * 1024;
const overlap = 2048;

/** A match, or the part of it, that lies in one of the given texts. */
export interface TextMatch extends TextSpan {
  readonly textIndex: number;
  readonly valueIndex: number;
}

/**
 * Searches neighboring texts as if they were one text, so that a value that was split over them is found too. Yields
 * after each window, so that the caller can let other work run.
 */
export function* findInJoined(
  texts: readonly string[],
  values: KnownValues,
  placeholders: () => readonly string[],
): Generator<void, readonly TextMatch[]> {
  let matches: TextMatch[] | undefined;
  let starts: Float64Array | undefined;
  const joined = maskPlaceholders(texts.length === 1 ? (texts[0] as string) : texts.join(''), placeholders);
  for (let from = 0; from < joined.length; from += window) {
    const part = joined.slice(from, from + window + overlap);
    for (const match of values.find(part, unescapedViews(part))) {
      starts ??= startsOf(texts);
      matches ??= [];
      matches.push(...splitByText({ ...match, start: match.start + from, end: match.end + from }, starts));
    }
    if (from + window < joined.length) yield;
  }
  return matches ?? noMatches;
}

const noMatches: readonly TextMatch[] = [];

/** By text: its offset in the joined text. The last element is the length of the joined text. */
function startsOf(texts: readonly string[]): Float64Array {
  const starts = new Float64Array(texts.length + 1);
  for (const [index, text] of texts.entries()) starts[index + 1] = (starts[index] as number) + text.length;
  return starts;
}

function splitByText(
  { start, end, valueIndex, mayCrossTexts }: KnownMatch,
  starts: Float64Array,
): TextMatch[] {
  const matches: TextMatch[] = [];
  let textIndex = textAt(start, starts);
  // A short value that only appears where two texts meet is a coincidence.
  if (!mayCrossTexts && end > (starts[textIndex + 1] as number)) return matches;
  for (; textIndex + 1 < starts.length && (starts[textIndex] as number) < end; textIndex++) {
    const base = starts[textIndex] as number;
    const from = Math.max(start, base);
    const to = Math.min(end, starts[textIndex + 1] as number);
    if (to > from) matches.push({ textIndex, start: from - base, end: to - base, valueIndex });
  }
  return matches;
}

/** Index of the text that contains an offset of the joined text (binary search). */
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
