// Reference implementation without optimizations: the scanner must give the same results.
import { barrier } from '../../../../src/policy/scan/normalized-text.js';
import type { ValueVariant } from '../../../../src/policy/scan/value-variants.js';

/** Character codes of a text, some left out, with an offset map back to the text. */
interface TextCodes {
  readonly codes: Uint16Array;
  readonly offsets: Int32Array;
}

/** Every character. */
export function codesOf(text: string): TextCodes {
  const codes = new Uint16Array(text.length);
  const offsets = new Int32Array(text.length);
  for (let index = 0; index < text.length; index++) {
    codes[index] = text.charCodeAt(index);
    offsets[index] = index;
  }
  return { codes, offsets };
}

const beyondAscii = /[\u0080-\uffff]/;
const folded = new Uint16Array(128);
for (let code = 0; code < 128; code++) {
  const isDigit = code >= 48 && code <= 57;
  const isUpper = code >= 65 && code <= 90;
  const isLower = code >= 97 && code <= 122;
  folded[code] = isUpper ? code + 32 : isDigit || isLower ? code : 0;
}

/**
 * Letters and digits only, in lower case, wide characters as plain ones. Removes the `0x` and `\x` before bytes, unless
 * prefixes are kept.
 */
export function normalizedCodesOf(text: string, keepPrefixes: boolean): TextCodes {
  // One character can become up to three.
  const maxLength = text.length * (beyondAscii.test(text) ? 3 : 1);
  const codes = new Uint16Array(maxLength);
  const offsets = new Int32Array(maxLength);
  let length = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code < 128) {
      const letter = folded[code] as number;
      if (letter === 0) continue;
      // The x of 0x41 or \x41.
      if (!keepPrefixes && letter === 120 && isBytePrefix(text, index)) {
        if (text.charCodeAt(index - 1) === 48) length--;
        continue;
      }
      codes[length] = letter;
      offsets[length++] = index;
    } else if (code === barrier) {
      codes[length] = barrier;
      offsets[length++] = index;
    } else {
      const character = String.fromCodePoint(text.codePointAt(index) as number);
      for (const letter of plainCodes(character)) {
        if (length >= codes.length) break;
        codes[length] = letter;
        offsets[length++] = index;
      }
      index += character.length - 1;
    }
  }
  return { codes: codes.subarray(0, length), offsets: offsets.subarray(0, length) };
}

function isBytePrefix(text: string, index: number): boolean {
  const before = text.charCodeAt(index - 1);
  if (before !== 48 && before !== 92) return false;
  // A zero inside a number or word does not start a prefix.
  if (before === 48 && (folded[text.charCodeAt(index - 2)] ?? 0) !== 0) return false;
  return isHexDigit(text.charCodeAt(index + 1)) && isHexDigit(text.charCodeAt(index + 2));
}

function isHexDigit(code: number): boolean {
  return (code >= 48 && code <= 57) || (code >= 65 && code <= 70) || (code >= 97 && code <= 102);
}

const plainCodesCache = new Map<string, readonly number[]>();

/** The plain letters and digits that a character stands for; empty for signs and invisible ones. */
function plainCodes(character: string): readonly number[] {
  const cached = plainCodesCache.get(character);
  if (cached !== undefined) return cached;
  const text = character
    .normalize('NFKC')
    .toUpperCase()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');
  const codes = Array.from({ length: Math.min(3, text.length) }, (_, index) => text.charCodeAt(index));
  if (plainCodesCache.size < 4096) plainCodesCache.set(character, codes);
  return codes;
}

/** Characters that are hashed together. */
const gramLength = 6;
/** Equal grams of one variant that are stored. */
const maxRepeats = 8;

interface VariantMatch {
  readonly start: number;
  readonly end: number;
  readonly variant: ValueVariant;
}

/** Finds fragments of many variants at once: a hash index of their 6-grams, without the bit filter. */
export class ReferenceVariantIndex {
  readonly #variants: readonly ValueVariant[];
  readonly #step: number;
  readonly #slotMask: number;
  /** By slot: its first entry, or -1. By entry: the next one, its variant, its offset there. */
  readonly #firstEntry: Int32Array;
  readonly #nextEntry: Int32Array;
  readonly #entryVariant: Int32Array;
  readonly #entryOffset: Int32Array;

  constructor(variants: readonly ValueVariant[]) {
    this.#variants = variants.filter((it) => it.codes.length >= gramLength);
    const shortest = this.#variants.reduce(
      (all, it) => Math.min(all, it.minLength),
      Number.POSITIVE_INFINITY,
    );
    this.#step = Math.max(1, Number.isFinite(shortest) ? shortest - gramLength + 1 : 1);
    const total = this.#variants.reduce((sum, it) => sum + it.codes.length - gramLength + 1, 0);
    let size = 1024;
    while (size < total * 4) size *= 2;
    this.#slotMask = size - 1;
    this.#firstEntry = new Int32Array(size).fill(-1);
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
    for (const [index, { codes }] of this.#variants.entries()) {
      const repeats = new Map<number, number>();
      for (let offset = 0; offset + gramLength <= codes.length; offset++) {
        const slot = slotOf(codes, offset) & this.#slotMask;
        const repeated = repeats.get(slot) ?? 0;
        if (repeated >= maxRepeats) continue;
        repeats.set(slot, repeated + 1);
        this.#entryVariant[entries] = index;
        this.#entryOffset[entries] = offset;
        this.#nextEntry[entries] = this.#firstEntry[slot] as number;
        this.#firstEntry[slot] = entries++;
      }
    }
  }

  find(codes: Uint16Array): VariantMatch[] {
    const matches: VariantMatch[] = [];
    if (this.empty) return matches;
    /** By variant and alignment: end of the part that was compared already. */
    const compared = new Map<number, number>();
    /** By value: end of its last match. */
    const covered = new Map<number, number>();
    const last = codes.length - gramLength;
    for (let at = 0; at <= last; at += this.#step) {
      let entry = this.#firstEntry[slotOf(codes, at) & this.#slotMask] as number;
      for (; entry !== -1; entry = this.#nextEntry[entry] as number) {
        const index = this.#entryVariant[entry] as number;
        const offset = this.#entryOffset[entry] as number;
        const alignment = index * 0x4000_0000 + (at - offset + 0x1000_0000);
        if ((compared.get(alignment) ?? -1) > at) continue;
        const variant = this.#variants[index] as ValueVariant;
        if ((covered.get(variant.valueIndex) ?? -1) >= at + gramLength + this.#step) continue;
        const { start, end } = commonRun(codes, at, variant.codes, offset);
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
    return matches;
  }
}

function slotOf(codes: Uint16Array, at: number): number {
  let slot = 0;
  for (let index = at; index < at + gramLength; index++)
    slot = (Math.imul(slot, 31) + (codes[index] as number)) | 0;
  return slot ^ (slot >>> 15);
}

/** The longest run around `at` in which the text and the variant are equal. */
function commonRun(codes: Uint16Array, at: number, variant: Uint16Array, offset: number) {
  let start = at;
  for (let other = offset; start > 0 && other > 0 && codes[start - 1] === variant[other - 1]; other--)
    start--;
  let end = at;
  for (
    let other = offset;
    end < codes.length && other < variant.length && codes[end] === variant[other] && codes[end] !== barrier;
    other++
  )
    end++;
  return { start, end };
}
