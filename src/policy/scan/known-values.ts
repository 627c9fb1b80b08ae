import type { TextSpan } from '../guardrails/text-span.js';
import { type DecodedView, decodedViews, toOriginal } from './decoded-view.js';
import { type BytePrefixes, CodeBuffer, normalizedCodesOf } from './normalized-text.js';
import { type ValueVariants, type VariantEnds, variantsOf } from './value-variants.js';
import { VariantIndex } from './variant-index.js';

export interface KnownMatch extends TextSpan {
  /** Index of the value in `KnownValues.values`. */
  readonly valueIndex: number;
  /** Whether the match counts when it spans several texts. A literal match of a short value does not. */
  readonly mayCrossTexts: boolean;
}

/** Finds given values in texts, in any of their encodings. The index is built once for a set of values. */
export class KnownValues {
  readonly values: readonly string[];
  readonly #exact: VariantIndex;
  readonly #normalized: VariantIndex;
  readonly #literal: ValueVariants['literal'];

  constructor(values: readonly string[]) {
    this.values = values;
    const variants = values.map(variantsOf);
    this.#exact = new VariantIndex(variants.flatMap((it) => it.exact));
    this.#normalized = new VariantIndex(variants.flatMap((it) => it.normalized));
    this.#literal = variants.flatMap((it) => it.literal);
  }

  get empty(): boolean {
    return this.#exact.empty && this.#normalized.empty && this.#literal.length === 0;
  }

  /** The time grows with the length of the text, not with the number of values. */
  find(text: string, views: readonly DecodedView[] = decodedViews(text)): readonly KnownMatch[] {
    if (this.empty) return noMatches;
    const matches: KnownMatch[] = [];
    for (const view of views) this.#findInView(view, matches);
    return matches.length === 0 ? noMatches : matches;
  }

  #findInView(view: DecodedView, matches: KnownMatch[]): void {
    const { text } = view;
    for (const { text: literal, valueIndex } of this.#literal) {
      for (let at = text.indexOf(literal); at !== -1; at = text.indexOf(literal, at + 1))
        matches.push(
          toOriginal({ start: at, end: at + literal.length, valueIndex, mayCrossTexts: false }, view),
        );
    }
    if (!this.#exact.empty) {
      buffer.load(text);
      for (const { start, end, variant } of this.#exact.find(buffer.codes, buffer.length))
        matches.push(toOriginal({ start, end, valueIndex: variant.valueIndex, mayCrossTexts: true }, view));
    }
    if (!this.#normalized.empty) {
      this.#findNormalized(view, 'removed', matches);
      if (buffer.hasBytePrefix) this.#findNormalized(view, 'kept', matches);
    }
  }

  #findNormalized(view: DecodedView, bytePrefixes: BytePrefixes, matches: KnownMatch[]): void {
    const { text } = view;
    buffer.loadNormalized(text, bytePrefixes);
    const fragments = this.#normalized.find(buffer.codes, buffer.length);
    if (fragments.length === 0) return;
    const { offsets } = normalizedCodesOf(text, bytePrefixes);
    for (const { start, end, variant } of fragments) {
      const last = offsets[end - 1] as number;
      const lastLength = (text.codePointAt(last) as number) > 0xffff ? 2 : 1;
      const span = { start: offsets[start] as number, end: last + lastLength };
      const { valueIndex, ends, codes } = variant;
      const whole = ends !== null && end - start === codes.length ? withSharedEnds(text, span, ends) : span;
      matches.push(toOriginal({ ...whole, valueIndex, mayCrossTexts: true }, view));
    }
  }
}

const noMatches: readonly KnownMatch[] = [];
/** Shared by all searches: each search is finished before the next one starts. */
const buffer = new CodeBuffer();

/** Adds the characters next to a match of a whole variant that hold bits of the value too, and the padding. */
function withSharedEnds(text: string, { start, end }: TextSpan, ends: VariantEnds): TextSpan {
  const first = ends.sharesBefore && /[A-Za-z0-9+/_-]/.test(text.charAt(start - 1)) ? start - 1 : start;
  let last = ends.sharesAfter && /[A-Za-z0-9+/_-]/.test(text.charAt(end)) ? end + 1 : end;
  for (let signs = 0; signs < ends.padding && text.charAt(last) === '='; signs++) last++;
  return { start: first, end: last };
}
