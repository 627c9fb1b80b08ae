/** Character codes of a text, some left out, and where each stood. */
export interface Letters {
  readonly codes: Uint16Array;
  readonly at: Int32Array;
}

/** Never a part of a match: stands where something was taken out. */
export const barrier = 0xffff;

/** Every character. */
export function lettersOf(text: string): Letters {
  const codes = new Uint16Array(text.length);
  const at = new Int32Array(text.length);
  for (let index = 0; index < text.length; index++) {
    codes[index] = text.charCodeAt(index);
    at[index] = index;
  }
  return { codes, at };
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
 * Letters and digits alone, in lower case, wide ones as plain ones: what is left whatever was put between them. The two
 * alphabets of base64 become one here, and `0x` and `\x` in front of bytes go.
 */
export function skeletonOf(text: string): Letters {
  // One character can be another form of three.
  const room = text.length * (beyondAscii.test(text) ? 3 : 1);
  const codes = new Uint16Array(room);
  const at = new Int32Array(room);
  let length = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code < 128) {
      const letter = folded[code] as number;
      if (letter === 0) continue;
      // The x of 0x41 or \x41.
      if (letter === 120 && isByteMark(text, index)) {
        if (text.charCodeAt(index - 1) === 48) length--;
        continue;
      }
      codes[length] = letter;
      at[length++] = index;
    } else if (code === barrier) {
      codes[length] = barrier;
      at[length++] = index;
    } else {
      const character = String.fromCodePoint(text.codePointAt(index) as number);
      for (const letter of plain(character)) {
        if (length >= codes.length) break;
        codes[length] = letter;
        at[length++] = index;
      }
      index += character.length - 1;
    }
  }
  return { codes: codes.subarray(0, length), at: at.subarray(0, length) };
}

function isByteMark(text: string, index: number): boolean {
  const before = text.charCodeAt(index - 1);
  if (before !== 48 && before !== 92) return false;
  // A zero inside a number or word is no mark.
  if (before === 48 && (folded[text.charCodeAt(index - 2)] ?? 0) !== 0) return false;
  return isHexDigit(text.charCodeAt(index + 1)) && isHexDigit(text.charCodeAt(index + 2));
}

function isHexDigit(code: number): boolean {
  return (code >= 48 && code <= 57) || (code >= 65 && code <= 70) || (code >= 97 && code <= 102);
}

const known = new Map<string, readonly number[]>();

/** Letters and digits of what a character is another form of, capitals too; nothing for signs and for what cannot be seen. */
function plain(character: string): readonly number[] {
  const found = known.get(character);
  if (found !== undefined) return found;
  const text = character
    .normalize('NFKC')
    .toUpperCase()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');
  const codes = Array.from({ length: Math.min(3, text.length) }, (_, index) => text.charCodeAt(index));
  if (known.size < 4096) known.set(character, codes);
  return codes;
}
