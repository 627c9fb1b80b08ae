import {
  base32Fragments,
  base64Fragments,
  type EncodedFragment,
  rot13,
  toBase32,
  toBase64,
  toHex,
  utf8,
  utf16,
} from './encoding.js';
import { codesOf, normalizedCodesOf, type TextCodes } from './normalized-text.js';

/** One form in which a known value can appear: plain, reversed, hex, base64, … */
export interface ValueVariant {
  readonly codes: Uint16Array;
  /** Index of the value in the list of known values. */
  readonly valueIndex: number;
  /** This many significant characters in a row count as a fragment of the value. */
  readonly minLength: number;
  /** By offset: number of significant characters before it. Boilerplate such as `https://` is not significant. */
  readonly significantBefore: Uint32Array;
  /** Base64 and base32: what belongs to the value beside a match of the whole variant. */
  readonly ends: VariantEnds | null;
}

export type VariantEnds = Omit<EncodedFragment, 'text'>;

/** Minimum fragment of the plain value; with 12 characters known, guessing the rest becomes possible. */
const minPlain = 12;
const minBase64 = 16;
const minHex = 24;
const minBase32 = 20;
/** Digits of character codes. */
const minCodes = 30;
/** A shorter normalized form could be any word. */
const minNormalized = 8;
/** Shorter values are not searched: they would match inside ordinary text. */
export const minValueLength = 4;

/** Parts that many values have in common. They do not count as significant characters of a fragment. */
const boilerplate =
  /[A-Za-z][A-Za-z0-9+.-]{1,20}:\/\/(?:www\.)?|-----(?:BEGIN|END) [A-Z ]{3,40}-----|"[A-Za-z_]{1,40}"\s*:/g;

/** All forms of one value, by the way they are searched. */
export interface ValueVariants {
  /** Compared with the text character by character. */
  readonly exact: readonly ValueVariant[];
  /** Compared with the normalized text (letters and digits only). */
  readonly normalized: readonly ValueVariant[];
  /** Short values: only as a whole, in the common encodings. */
  readonly literal: readonly { readonly text: string; readonly valueIndex: number }[];
}

export function variantsOf(value: string, valueIndex: number): ValueVariants {
  if (value.length < minValueLength) return { exact: [], normalized: [], literal: [] };
  const reversed = [...value].reverse().join('');
  const variant = (
    textCodes: TextCodes,
    text: string,
    minLength: number,
    ends: VariantEnds | null,
  ): ValueVariant => ({
    codes: textCodes.codes,
    valueIndex,
    minLength: Math.min(minLength, textCodes.codes.length),
    // An encoded form has no recognizable boilerplate: all of it is significant.
    significantBefore: countSignificant(textCodes, minLength === minPlain ? text : ''),
    ends,
  });
  const exact = value.length < minPlain || isNormalizedAlready(value) ? [] : [value, reversed];
  const normalized: ValueVariant[] = [];
  const add = (text: string, minLength: number, ends: VariantEnds | null = null) => {
    const withoutPrefixes = normalizedCodesOf(text, 'removed');
    const withPrefixes = normalizedCodesOf(text, 'kept');
    const forms =
      withPrefixes.codes.length === withoutPrefixes.codes.length
        ? [withoutPrefixes]
        : [withoutPrefixes, withPrefixes];
    for (const it of forms)
      if (it.codes.length >= minNormalized) normalized.push(variant(it, text, minLength, ends));
  };
  for (const text of [value, reversed]) {
    add(text, minPlain);
    add(toHex(utf8(text)), minHex);
    for (const bytes of [utf8(text), utf16(text)]) {
      const encoded = base64Fragments(bytes);
      add(toBase64(bytes), minBase64, wholeEnds(encoded));
      for (const { text: it, ...ends } of encoded) add(it, minBase64, ends);
    }
  }
  // Base64 of base64.
  for (const inner of base64Fragments(utf8(value)))
    for (const { text: it, ...ends } of base64Fragments(utf8(inner.text))) add(it, minBase64, ends);
  const bytes = utf8(value);
  const encoded = base32Fragments(bytes);
  add(toBase32(bytes), minBase32, wholeEnds(encoded));
  for (const { text: it, ...ends } of encoded) add(it, minBase32, ends);
  if (rot13(value) !== value) add(rot13(value), minPlain);
  for (const it of characterCodes(bytes)) add(it, minCodes);
  return {
    exact: exact.map((text) => variant(codesOf(text), text, minPlain, null)),
    normalized,
    literal: value.length >= minPlain ? [] : [...literalForms(value)].map((text) => ({ text, valueIndex })),
  };
}

/** Of the text of the bytes alone: its last character is a part of it already. */
function wholeEnds([first]: readonly EncodedFragment[]): VariantEnds {
  return { sharesBefore: false, sharesAfter: false, padding: first?.padding ?? 0 };
}

/** The codes of all bytes in a row, decimal and octal, as usual and with a fixed width. Separators make no difference. */
function characterCodes(bytes: Uint8Array): string[] {
  const codes = [...bytes];
  const octal = codes.map((it) => it.toString(8));
  return [
    ...new Set([
      codes.join(''),
      codes.map((it) => String(it).padStart(3, '0')).join(''),
      octal.join(''),
      octal.map((it) => it.padStart(3, '0')).join(''),
      octal.map((it) => it.padStart(4, '0')).join(''),
      octal.map((it) => `0o${it}`).join(''),
    ]),
  ];
}

/**
 * Whether the value has only letters and digits, and no `0x41` that normalizing would remove. Then the normalized search
 * finds every fragment that the exact search would find.
 */
function isNormalizedAlready(value: string): boolean {
  return /^[A-Za-z0-9]+$/.test(value) && !/0x[0-9a-f]{2}|[0-9a-f]{2}x0/i.test(value);
}

/** Prefix sums of significant characters: one more element than there are codes. */
function countSignificant({ codes, offsets }: TextCodes, text: string): Uint32Array {
  const significantBefore = new Uint32Array(codes.length + 1);
  const isBoilerplate = new Uint8Array(text.length);
  for (const match of text.matchAll(boilerplate))
    isBoilerplate.fill(1, match.index, match.index + match[0].length);
  for (let index = 0; index < codes.length; index++)
    significantBefore[index + 1] =
      (significantBefore[index] as number) + (isBoilerplate[offsets[index] as number] === 1 ? 0 : 1);
  return significantBefore;
}

function literalForms(value: string): Set<string> {
  const bytes = utf8(value);
  const hex = toHex(bytes);
  const forms = new Set([value, value.toLowerCase(), value.toUpperCase(), hex, hex.toUpperCase()]);
  if (value.length > minValueLength) forms.add([...value].reverse().join(''));
  const unpadded = toBase64(bytes);
  const padding = '='.repeat((4 - (unpadded.length % 4)) % 4);
  const fragments = base64Fragments(bytes).flatMap(({ text }) => (text.length >= 8 ? [text] : []));
  for (const it of [...fragments, unpadded, unpadded + padding]) {
    forms.add(it);
    forms.add(it.replaceAll('+', '-').replaceAll('/', '_'));
  }
  return forms;
}
