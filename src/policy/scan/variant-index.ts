import { barrier } from './normalized-text.js';
import type { ValueVariant } from './value-variants.js';

/** Filter bits per table slot. More bits mean fewer false positives. */
const filterBitsPerSlot = 4;
/** Characters that are hashed together (the k of a k-gram). */
const gramLength = 6;
/** Equal grams of one variant that are stored; a variant of one repeated letter has as many as it is long. */
const maxRepeats = 8;

export interface VariantMatch {
  readonly start: number;
  readonly end: number;
  readonly variant: ValueVariant;
}

/**
 * Finds fragments of many variants at once: a hash index of their 6-grams. Every fragment that counts is long enough to
 * contain a gram that begins at one of the sampled offsets, so the search skips most of a text.
 */
export class VariantIndex {
  readonly #variants: readonly ValueVariant[];
  /** Distance between two sampled offsets of a text. */
  readonly #step: number;
  readonly #slotMask: number;
  /** One bit for each gram that may belong to a variant (a Bloom filter with one hash); small enough for the CPU cache. */
  readonly #filter: Uint8Array;
  readonly #filterMask: number;
  /** Hash table with chaining. By slot: its first entry, or -1. By entry: the next one, its variant, its offset there. */
  readonly #firstEntry: Int32Array;
  readonly #nextEntry: Int32Array;
  readonly #entryVariant: Int32Array;
  readonly #entryOffset: Int32Array;

  constructor(variants: readonly ValueVariant[]) {
    this.#variants = variants.filter((it) => it.codes.length >= gramLength);
    const shortest = this.#variants.reduce(
      (min, it) => Math.min(min, it.minLength),
      Number.POSITIVE_INFINITY,
    );
    this.#step = Math.max(1, Number.isFinite(shortest) ? shortest - gramLength + 1 : 1);
    const total = this.#variants.reduce((sum, it) => sum + it.codes.length - gramLength + 1, 0);
    let slots = 1024;
    while (slots < total * 4) slots *= 2;
    this.#slotMask = slots - 1;
    this.#filter = new Uint8Array((slots * filterBitsPerSlot) >> 3);
    this.#filterMask = slots * filterBitsPerSlot - 1;
    this.#firstEntry = new Int32Array(slots).fill(-1);
    this.#nextEntry = new Int32Array(total);
    this.#entryVariant = new Int32Array(total);
    this.#entryOffset = new Int32Array(total);
    this.#fill();
  }

  get empty(): boolean {
    return this.#variants.length === 0;
  }

  #fill(): void {
    let entries = 0;
    for (const [variant, { codes }] of this.#variants.entries()) {
      const repeats = new Map<number, number>();
      for (let offset = 0; offset + gramLength <= codes.length; offset++) {
        const hash = hashOf(codes, offset);
        const bit = hash & this.#filterMask;
        this.#filter[bit >> 3] = (this.#filter[bit >> 3] as number) | (1 << (bit & 7));
        const slot = hash & this.#slotMask;
        const repeated = repeats.get(slot) ?? 0;
        if (repeated >= maxRepeats) continue;
        repeats.set(slot, repeated + 1);
        this.#entryVariant[entries] = variant;
        this.#entryOffset[entries] = offset;
        this.#nextEntry[entries] = this.#firstEntry[slot] as number;
        this.#firstEntry[slot] = entries++;
      }
    }
  }

  /** Searches the first `length` codes. */
  find(codes: Uint16Array, length: number): readonly VariantMatch[] {
    if (this.empty) return noMatches;
    const filter = this.#filter;
    const mask = this.#filterMask;
    const step = this.#step;
    let search: Search | undefined;
    for (let at = 0; at + gramLength <= length; at += step) {
      const hash = hashOf(codes, at);
      const bit = hash & mask;
      if (((filter[bit >> 3] as number) & (1 << (bit & 7))) === 0) continue;
      search ??= { codes, length, matches: [], compared: new Map(), covered: new Map() };
      this.#compareSlot(search, at, hash & this.#slotMask);
    }
    return search?.matches ?? noMatches;
  }

  /** Compares the text at `at` with every variant that has a gram in this slot. */
  #compareSlot({ codes, length, matches, compared, covered }: Search, at: number, slot: number): void {
    let entry = this.#firstEntry[slot] as number;
    for (; entry !== -1; entry = this.#nextEntry[entry] as number) {
      const index = this.#entryVariant[entry] as number;
      const offset = this.#entryOffset[entry] as number;
      const alignment = index * 0x4000_0000 + (at - offset + 0x1000_0000);
      if ((compared.get(alignment) ?? -1) > at) continue;
      const variant = this.#variants[index] as ValueVariant;
      if ((covered.get(variant.valueIndex) ?? -1) >= at + gramLength + this.#step) continue;
      const { start, end } = commonRun(codes, length, at, variant.codes, offset);
      if (end - start < gramLength) continue;
      compared.set(alignment, end);
      const from = offset - (at - start);
      const to = from + end - start;
      const isWhole = from === 0 && to === variant.codes.length;
      const significant =
        (variant.significantBefore[to] as number) - (variant.significantBefore[from] as number);
      if (!isWhole && significant < variant.minLength) continue;
      matches.push({ start, end, variant });
      covered.set(variant.valueIndex, Math.max(end, covered.get(variant.valueIndex) ?? 0));
    }
  }
}

interface Search {
  readonly codes: Uint16Array;
  readonly length: number;
  readonly matches: VariantMatch[];
  /** By variant and alignment (text offset minus variant offset): end of the part that was compared already. */
  readonly compared: Map<number, number>;
  /** By value: end of its last match. */
  readonly covered: Map<number, number>;
}

const noMatches: readonly VariantMatch[] = [];

function hashOf(codes: Uint16Array, at: number): number {
  let hash = 0;
  for (let index = at; index < at + gramLength; index++)
    hash = (Math.imul(hash, 31) + (codes[index] as number)) | 0;
  return hash ^ (hash >>> 15);
}

/** The longest run around `at` in which the text and the variant are equal. */
function commonRun(codes: Uint16Array, length: number, at: number, variant: Uint16Array, offset: number) {
  let start = at;
  for (let other = offset; start > 0 && other > 0 && codes[start - 1] === variant[other - 1]; other--)
    start--;
  let end = at;
  for (
    let other = offset;
    end < length && other < variant.length && codes[end] === variant[other] && codes[end] !== barrier;
    other++
  )
    end++;
  return { start, end };
}
