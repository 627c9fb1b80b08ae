import { base64Pieces, toBase64, toHex, utf8, utf16 } from './encoding.js';
import { type Letters, lettersOf, skeletonOf } from './letters.js';

/** One spelling of a secret. */
export interface Needle {
  readonly codes: Uint16Array;
  /** Which of the secrets. */
  readonly secret: number;
  /** So many characters of it in a row are a piece of the secret. */
  readonly least: number;
  /** How many characters up to each place count: those of a `https://` in front, say, do not. */
  readonly counting: Uint32Array;
  /** Base64: characters at its ends hold bits of the secret too. */
  readonly widen: boolean;
}

/** Of the value itself; with this many characters somebody could go on guessing. */
const piece = 12;
const base64Piece = 16;
const hexPiece = 24;
/** Below, what is left without signs could be any word. */
const shortestSkeleton = 8;
/** Below, a value would tear holes into ordinary text. */
export const shortestValue = 4;

/** Parts of values that are the same in everybody's: they count for nothing in a piece. */
const scaffolding =
  /[A-Za-z][A-Za-z0-9+.-]{1,20}:\/\/(?:www\.)?|-----(?:BEGIN|END) [A-Z ]{3,40}-----|"[A-Za-z_]{1,40}"\s*:/g;

/** Spellings to look for character by character, and those to look for among letters and digits alone. */
export interface Spellings {
  readonly exact: readonly Needle[];
  readonly bare: readonly Needle[];
  /** Short values: whole, in the usual encodings. */
  readonly literal: readonly { readonly text: string; readonly secret: number }[];
}

export function spellingsOf(value: string, secret: number): Spellings {
  if (value.length < shortestValue) return { exact: [], bare: [], literal: [] };
  const backwards = [...value].reverse().join('');
  const needle = (letters: Letters, text: string, least: number, widen: boolean): Needle => ({
    codes: letters.codes,
    secret,
    least: Math.min(least, letters.codes.length),
    // Encoded, nothing of it is the same in everybody's.
    counting: countingIn(letters, least === piece ? text : ''),
    widen,
  });
  const exact = value.length < piece || isBare(value) ? [] : [value, backwards];
  const bare: Needle[] = [];
  const add = (text: string, least: number, widen = false) => {
    const letters = skeletonOf(text, 'left out');
    const whole = skeletonOf(text, 'kept');
    for (const it of whole.codes.length === letters.codes.length ? [letters] : [letters, whole])
      if (it.codes.length >= shortestSkeleton) bare.push(needle(it, text, least, widen));
  };
  for (const text of [value, backwards]) {
    add(text, piece);
    add(toHex(utf8(text)), hexPiece);
    for (const bytes of [utf8(text), utf16(text)]) {
      add(toBase64(bytes), base64Piece, true);
      for (const it of base64Pieces(bytes)) add(it, base64Piece, true);
    }
  }
  for (const inner of base64Pieces(utf8(value)))
    for (const it of base64Pieces(utf8(inner))) add(it, base64Piece, true);
  return {
    exact: exact.map((text) => needle(lettersOf(text), text, piece, false)),
    bare,
    literal: value.length >= piece ? [] : [...literalForms(value)].map((text) => ({ text, secret })),
  };
}

/**
 * Letters and digits, and no `0x41` that would be left out among them: whatever piece of it is found character by character
 * is found among letters and digits alone, too.
 */
function isBare(value: string): boolean {
  return /^[A-Za-z0-9]+$/.test(value) && !/0x[0-9a-f]{2}|[0-9a-f]{2}x0/i.test(value);
}

function countingIn({ codes, at }: Letters, text: string): Uint32Array {
  const counting = new Uint32Array(codes.length + 1);
  const idle = new Uint8Array(text.length);
  for (const found of text.matchAll(scaffolding)) idle.fill(1, found.index, found.index + found[0].length);
  for (let index = 0; index < codes.length; index++)
    counting[index + 1] = (counting[index] as number) + (idle[at[index] as number] === 1 ? 0 : 1);
  return counting;
}

function literalForms(value: string): Set<string> {
  const bytes = utf8(value);
  const hex = toHex(bytes);
  const forms = new Set([value, value.toLowerCase(), value.toUpperCase(), hex, hex.toUpperCase()]);
  if (value.length > shortestValue) forms.add([...value].reverse().join(''));
  const alone = toBase64(bytes);
  const padding = '='.repeat((4 - (alone.length % 4)) % 4);
  for (const it of [...base64Pieces(bytes).filter((it) => it.length >= 8), alone, alone + padding]) {
    forms.add(it);
    forms.add(it.replaceAll('+', '-').replaceAll('/', '_'));
  }
  return forms;
}
