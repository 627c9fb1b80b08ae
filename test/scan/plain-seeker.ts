// The plain way, without any shortcut: what the quick one is compared with.
import { barrier } from '../../src/policy/scan/letters.js';
import type { Needle } from '../../src/policy/scan/needle.js';

/** Character codes of a text, some left out, and where each stood. */
interface Letters {
  readonly codes: Uint16Array;
  readonly at: Int32Array;
}

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
 * alphabets of base64 become one here, and `0x` and `\x` in front of bytes go unless they are kept.
 */
export function skeletonOf(text: string, keepsMarks: boolean): Letters {
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
      if (!keepsMarks && letter === 120 && isByteMark(text, index)) {
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

/** Characters that are looked up together. */
const gram = 6;
/** Places of the same characters in one needle; a needle of one letter has as many as it is long. */
const maxRepeats = 8;

interface Seen {
  readonly start: number;
  readonly end: number;
  readonly needle: Needle;
}

/**
 * Finds pieces of many needles at once. Every piece is long enough to hold a group of six that begins at one of the
 * places that are looked at, so that most of a text is passed over.
 */
export class Seeker {
  readonly #needles: readonly Needle[];
  readonly #step: number;
  readonly #mask: number;
  /** First entry of each slot, the next entry of the same slot, and whose characters the entry is of. */
  readonly #first: Int32Array;
  readonly #next: Int32Array;
  readonly #owner: Int32Array;
  readonly #place: Int32Array;

  constructor(needles: readonly Needle[]) {
    this.#needles = needles.filter((it) => it.codes.length >= gram);
    const least = this.#needles.reduce((all, it) => Math.min(all, it.least), Number.POSITIVE_INFINITY);
    this.#step = Math.max(1, Number.isFinite(least) ? least - gram + 1 : 1);
    const total = this.#needles.reduce((sum, it) => sum + it.codes.length - gram + 1, 0);
    let size = 1024;
    while (size < total * 4) size *= 2;
    this.#mask = size - 1;
    this.#first = new Int32Array(size).fill(-1);
    this.#next = new Int32Array(total);
    this.#owner = new Int32Array(total);
    this.#place = new Int32Array(total);
    this.#fill();
  }

  get empty(): boolean {
    return this.#needles.length === 0;
  }

  #fill(): void {
    let entries = 0;
    for (const [owner, { codes }] of this.#needles.entries()) {
      const repeats = new Map<number, number>();
      for (let place = 0; place + gram <= codes.length; place++) {
        const slot = slotOf(codes, place) & this.#mask;
        const seen = repeats.get(slot) ?? 0;
        if (seen >= maxRepeats) continue;
        repeats.set(slot, seen + 1);
        this.#owner[entries] = owner;
        this.#place[entries] = place;
        this.#next[entries] = this.#first[slot] as number;
        this.#first[slot] = entries++;
      }
    }
  }

  find(codes: Uint16Array): Seen[] {
    const found: Seen[] = [];
    if (this.empty) return found;
    /** By needle and shift: how far that pair is known already. */
    const done = new Map<number, number>();
    /** By secret: up to where it is known to stand here anyway. */
    const covered = new Map<number, number>();
    const last = codes.length - gram;
    for (let at = 0; at <= last; at += this.#step) {
      let entry = this.#first[slotOf(codes, at) & this.#mask] as number;
      for (; entry !== -1; entry = this.#next[entry] as number) {
        const owner = this.#owner[entry] as number;
        const place = this.#place[entry] as number;
        const pair = owner * 0x4000_0000 + (at - place + 0x1000_0000);
        if ((done.get(pair) ?? -1) > at) continue;
        const needle = this.#needles[owner] as Needle;
        if ((covered.get(needle.secret) ?? -1) >= at + gram + this.#step) continue;
        const { start, end } = extent(codes, at, needle.codes, place);
        if (end - start < gram) continue;
        done.set(pair, end);
        const from = place - (at - start);
        const to = from + end - start;
        const whole = from === 0 && to === needle.codes.length;
        const counted = (needle.counting[to] as number) - (needle.counting[from] as number);
        if (!whole && counted < needle.least) continue;
        found.push({ start, end, needle });
        covered.set(needle.secret, Math.max(end, covered.get(needle.secret) ?? 0));
      }
    }
    return found;
  }
}

function slotOf(codes: Uint16Array, at: number): number {
  let slot = 0;
  for (let index = at; index < at + gram; index++)
    slot = (Math.imul(slot, 31) + (codes[index] as number)) | 0;
  return slot ^ (slot >>> 15);
}

/** As far as both are the same, to the left and to the right. */
function extent(codes: Uint16Array, at: number, needle: Uint16Array, place: number) {
  let start = at;
  for (let mine = place; start > 0 && mine > 0 && codes[start - 1] === needle[mine - 1]; mine--) start--;
  let end = at;
  for (
    let mine = place;
    end < codes.length && mine < needle.length && codes[end] === needle[mine] && codes[end] !== barrier;
    mine++
  )
    end++;
  return { start, end };
}
