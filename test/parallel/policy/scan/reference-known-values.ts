// Reference implementation without optimizations: the scanner must give the same results.
import type { TextSpan } from '../../../../src/policy/guardrails/text-span.js';
import { maskPlaceholders } from '../../../../src/policy/scan/placeholder.js';
import {
  type ValueVariants,
  type VariantEnds,
  variantsOf,
} from '../../../../src/policy/scan/value-variants.js';
import { type ReferenceView, referenceUnescapedViews, referenceViews } from './reference-decoded-view.js';
import { codesOf, normalizedCodesOf, ReferenceVariantIndex } from './reference-variant-index.js';

interface KnownMatch extends TextSpan {
  /** Index of the value. */
  readonly valueIndex: number;
  /** Whether the match counts when it spans several texts. */
  readonly mayCrossTexts: boolean;
}

/** Finds given values in texts, in any of their encodings. */
export class ReferenceValues {
  readonly values: readonly string[];
  readonly #exact: ReferenceVariantIndex;
  readonly #normalized: ReferenceVariantIndex;
  readonly #literal: ValueVariants['literal'];

  constructor(values: readonly string[]) {
    this.values = values;
    const variants = values.map(variantsOf);
    this.#exact = new ReferenceVariantIndex(variants.flatMap((it) => it.exact));
    this.#normalized = new ReferenceVariantIndex(variants.flatMap((it) => it.normalized));
    this.#literal = variants.flatMap((it) => it.literal);
  }

  get empty(): boolean {
    return this.#exact.empty && this.#normalized.empty && this.#literal.length === 0;
  }

  find(text: string, views: readonly ReferenceView[] = referenceViews(text)): KnownMatch[] {
    if (this.empty) return [];
    return views.flatMap((view) => this.#findIn(view).map((match) => toOriginal(match, view)));
  }

  #findIn({ text }: ReferenceView): KnownMatch[] {
    const found: KnownMatch[] = [];
    for (const { text: literal, valueIndex } of this.#literal) {
      for (let at = text.indexOf(literal); at !== -1; at = text.indexOf(literal, at + 1))
        found.push({ start: at, end: at + literal.length, valueIndex, mayCrossTexts: false });
    }
    if (!this.#exact.empty) {
      const { codes } = codesOf(text);
      for (const { start, end, variant } of this.#exact.find(codes))
        found.push({ start, end, valueIndex: variant.valueIndex, mayCrossTexts: true });
    }
    for (const keepPrefixes of this.#normalized.empty ? [] : [false, true]) {
      const { codes, offsets } = normalizedCodesOf(text, keepPrefixes);
      for (const { start, end, variant } of this.#normalized.find(codes)) {
        const last = offsets[end - 1] as number;
        const width = (text.codePointAt(last) as number) > 0xffff ? 2 : 1;
        const span = { start: offsets[start] as number, end: last + width };
        found.push({
          ...(variant.ends !== null && end - start === variant.codes.length
            ? withSharedEnds(text, span, variant.ends)
            : span),
          valueIndex: variant.valueIndex,
          mayCrossTexts: true,
        });
      }
    }
    return found;
  }
}

/** Adds the characters next to a match of a whole variant that hold bits of the value too, and the padding. */
function withSharedEnds(text: string, { start, end }: TextSpan, ends: VariantEnds): TextSpan {
  const first = ends.sharesBefore && /[A-Za-z0-9+/_-]/.test(text.charAt(start - 1)) ? start - 1 : start;
  let last = ends.sharesAfter && /[A-Za-z0-9+/_-]/.test(text.charAt(end)) ? end + 1 : end;
  for (let signs = 0; signs < ends.padding && text.charAt(last) === '='; signs++) last++;
  return { start: first, end: last };
}

function toOriginal(match: KnownMatch, { from, to }: ReferenceView): KnownMatch {
  if (from === null || to === null) return match;
  return { ...match, start: from[match.start] as number, end: to[match.end - 1] as number };
}

/** Characters that are searched at once, and characters that two neighboring windows share. */
const window = 64 * 1024;
const overlap = 2048;

/** A match, or the part of it, in one of the given texts. */
interface TextMatch extends TextSpan {
  readonly textIndex: number;
  readonly valueIndex: number;
}

/** Searches neighboring texts as if they were one text. Yields after each window. */
export function* findInJoined(
  texts: readonly string[],
  values: ReferenceValues,
  placeholders: readonly string[],
): Generator<void, TextMatch[]> {
  const found: TextMatch[] = [];
  const starts = new Float64Array(texts.length + 1);
  for (const [index, text] of texts.entries()) starts[index + 1] = (starts[index] as number) + text.length;
  const joined = maskPlaceholders(texts.join(''), () => placeholders);
  for (let from = 0; from < joined.length; from += window) {
    const part = joined.slice(from, from + window + overlap);
    for (const match of values.find(part, referenceUnescapedViews(part)))
      found.push(...splitByText({ ...match, start: match.start + from, end: match.end + from }, starts));
    if (from + window < joined.length) yield;
  }
  return found;
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

/** Index of the text that contains an offset of the joined text. */
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
