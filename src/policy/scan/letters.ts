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

/** Room in which texts are taken apart one after the other: most are small, and arrays of their own cost more than they do. */
export class Room {
  codes = new Uint16Array(4096);
  length = 0;
  /** Whether the last text had marks of bytes. */
  marked = false;
  readonly #mark = () => {
    this.marked = true;
  };

  /** Every character. */
  letters(text: string): void {
    this.#reserve(text.length);
    const { codes } = this;
    for (let index = 0; index < text.length; index++) codes[index] = text.charCodeAt(index);
    this.length = text.length;
  }

  /** Letters and digits alone. Whoever has to know where each stood asks for the whole skeleton. */
  skeleton(text: string, marks: Marks): void {
    this.#reserve(roomFor(text));
    this.marked = false;
    this.length = fillSkeleton(text, this.codes, null, marks, this.#mark);
  }

  #reserve(length: number): void {
    if (this.codes.length < length) this.codes = new Uint16Array(length * 2);
  }
}

const beyondAscii = /[\u0080-\uffff]/;
const folded = new Uint16Array(128);
/** One for letters and digits. */
const counted = new Uint8Array(128);
for (let code = 0; code < 128; code++) {
  const isDigit = code >= 48 && code <= 57;
  const isUpper = code >= 65 && code <= 90;
  const isLower = code >= 97 && code <= 122;
  folded[code] = isUpper ? code + 32 : isDigit || isLower ? code : 0;
  counted[code] = isDigit || isUpper || isLower ? 1 : 0;
}

/** Whether the `0x` and `\x` in front of bytes go. An x can pass for such a mark and be one of a value: then they must not. */
export type Marks = 'left out' | 'kept';

/**
 * Letters and digits alone, in lower case, wide ones as plain ones: what is left whatever was put between them. The two
 * alphabets of base64 become one here.
 */
export function skeletonOf(text: string, marks: Marks): Letters {
  const room = roomFor(text);
  const codes = new Uint16Array(room);
  const at = new Int32Array(room);
  const length = fillSkeleton(text, codes, at, marks, ignore);
  return { codes: codes.subarray(0, length), at: at.subarray(0, length) };
}

/** One character can be another form of three. */
function roomFor(text: string): number {
  return text.length * (beyondAscii.test(text) ? 3 : 1);
}

function ignore(): void {}

function fillSkeleton(
  text: string,
  codes: Uint16Array,
  at: Int32Array | null,
  marks: Marks,
  onMark: () => void,
): number {
  let length = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code < 128) {
      const letter = folded[code] as number;
      // What does not count is written over by what comes next.
      codes[length] = letter;
      if (at !== null) at[length] = index;
      length += counted[code] as number;
      // The x of 0x41 or \x41, and the nought before it.
      if (letter === 120 && isByteMark(text, index)) {
        onMark();
        if (marks === 'left out') length -= text.charCodeAt(index - 1) === 48 ? 2 : 1;
      }
    } else if (code === barrier) {
      codes[length] = barrier;
      if (at !== null) at[length] = index;
      length++;
    } else {
      const character = String.fromCodePoint(text.codePointAt(index) as number);
      for (const letter of plain(character)) {
        codes[length] = letter;
        if (at !== null) at[length] = index;
        length++;
      }
      index += character.length - 1;
    }
  }
  return length;
}

function isByteMark(text: string, index: number): boolean {
  if (index < 1 || index + 2 >= text.length) return false;
  const before = text.charCodeAt(index - 1);
  if (before !== 48 && before !== 92) return false;
  // A zero inside a number or word is no mark.
  if (before === 48 && index > 1 && isLetterOrDigit(text.charCodeAt(index - 2))) return false;
  return isHexDigit(text.charCodeAt(index + 1)) && isHexDigit(text.charCodeAt(index + 2));
}

/** Of ASCII. */
function isLetterOrDigit(code: number): boolean {
  return code < 128 && folded[code] !== 0;
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
