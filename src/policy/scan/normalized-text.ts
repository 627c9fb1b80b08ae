/** Character codes of a text, some left out, with an offset map back to the text. */
export interface TextCodes {
  readonly codes: Uint16Array;
  /** By code: its offset in the text. */
  readonly offsets: Int32Array;
}

/** Marks removed text. It is never part of a match. */
export const barrier = 0xffff;

/** Every character of the text. */
export function codesOf(text: string): TextCodes {
  const codes = new Uint16Array(text.length);
  const offsets = new Int32Array(text.length);
  for (let index = 0; index < text.length; index++) {
    codes[index] = text.charCodeAt(index);
    offsets[index] = index;
  }
  return { codes, offsets };
}

/** A reusable buffer for the codes of one text at a time: most texts are small, and allocating arrays costs more. */
export class CodeBuffer {
  codes = new Uint16Array(4096);
  length = 0;
  /** Whether the last normalized text has a byte prefix (`0x` or `\x`). */
  hasBytePrefix = false;
  readonly #onBytePrefix = () => {
    this.hasBytePrefix = true;
  };

  /** Every character. */
  load(text: string): void {
    this.#reserve(text.length);
    const { codes } = this;
    for (let index = 0; index < text.length; index++) codes[index] = text.charCodeAt(index);
    this.length = text.length;
  }

  /** Letters and digits only, without offsets: `normalizedCodesOf` has them. */
  loadNormalized(text: string, bytePrefixes: BytePrefixes): void {
    this.#reserve(maxNormalizedLength(text));
    this.hasBytePrefix = false;
    this.length = normalizeInto(text, this.codes, null, bytePrefixes, this.#onBytePrefix);
  }

  #reserve(length: number): void {
    if (this.codes.length < length) this.codes = new Uint16Array(length * 2);
  }
}

const beyondAscii = /[\u0080-\uffff]/;
/** By ASCII code: the lower-case letter or the digit; 0 for everything else. */
const folded = new Uint16Array(128);
/** By ASCII code: 1 for letters and digits. */
const isCounted = new Uint8Array(128);
for (let code = 0; code < 128; code++) {
  const isDigit = code >= 48 && code <= 57;
  const isUpper = code >= 65 && code <= 90;
  const isLower = code >= 97 && code <= 122;
  folded[code] = isUpper ? code + 32 : isDigit || isLower ? code : 0;
  isCounted[code] = isDigit || isUpper || isLower ? 1 : 0;
}

/**
 * Whether normalizing removes the `0x` and `\x` before bytes. An x of the value itself can look like such a prefix, so
 * texts with a prefix are searched both ways.
 */
export type BytePrefixes = 'removed' | 'kept';

/**
 * Letters and digits only, in lower case, wide characters as plain ones. Separators, case and the choice of base64
 * alphabet make no difference in it.
 */
export function normalizedCodesOf(text: string, bytePrefixes: BytePrefixes): TextCodes {
  const maxLength = maxNormalizedLength(text);
  const codes = new Uint16Array(maxLength);
  const offsets = new Int32Array(maxLength);
  const length = normalizeInto(text, codes, offsets, bytePrefixes, ignore);
  return { codes: codes.subarray(0, length), offsets: offsets.subarray(0, length) };
}

/** One character beyond ASCII can become up to three. */
function maxNormalizedLength(text: string): number {
  return text.length * (beyondAscii.test(text) ? 3 : 1);
}

function ignore(): void {}

function normalizeInto(
  text: string,
  codes: Uint16Array,
  offsets: Int32Array | null,
  bytePrefixes: BytePrefixes,
  onBytePrefix: () => void,
): number {
  let length = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code < 128) {
      const letter = folded[code] as number;
      // A character that does not count is overwritten by the next one.
      codes[length] = letter;
      if (offsets !== null) offsets[length] = index;
      length += isCounted[code] as number;
      // The x of 0x41 or \x41; the zero before it is removed too.
      if (letter === 120 && isBytePrefix(text, index)) {
        onBytePrefix();
        if (bytePrefixes === 'removed') length -= text.charCodeAt(index - 1) === 48 ? 2 : 1;
      }
    } else if (code === barrier) {
      codes[length] = barrier;
      if (offsets !== null) offsets[length] = index;
      length++;
    } else {
      const character = String.fromCodePoint(text.codePointAt(index) as number);
      for (const letter of plainCodes(character)) {
        codes[length] = letter;
        if (offsets !== null) offsets[length] = index;
        length++;
      }
      index += character.length - 1;
    }
  }
  return length;
}

function isBytePrefix(text: string, index: number): boolean {
  if (index < 1 || index + 2 >= text.length) return false;
  const before = text.charCodeAt(index - 1);
  if (before !== 48 && before !== 92) return false;
  // A zero inside a number or word does not start a prefix.
  if (before === 48 && index > 1 && isAsciiLetterOrDigit(text.charCodeAt(index - 2))) return false;
  return isHexDigit(text.charCodeAt(index + 1)) && isHexDigit(text.charCodeAt(index + 2));
}

function isAsciiLetterOrDigit(code: number): boolean {
  return code < 128 && folded[code] !== 0;
}

function isHexDigit(code: number): boolean {
  return (code >= 48 && code <= 57) || (code >= 65 && code <= 70) || (code >= 97 && code <= 102);
}

/** Pure: a character always stands for the same letters. */
const plainCodesCache = new Map<string, readonly number[]>();

/** The plain letters and digits that a character stands for (NFKC, lower case); empty for signs and invisible ones. */
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
