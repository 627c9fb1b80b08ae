import { barrier } from './letters.js';
import type { Needle } from './needle.js';

/** Bits for each slot; with more of them fewer are taken by chance. */
const sparse = 4;
/** Characters that are looked up together. */
const gram = 6;
/** Places of the same characters in one needle; a needle of one letter has as many as it is long. */
const maxRepeats = 8;

export interface Seen {
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
  /** One bit for each group that may be one of a needle: small enough to stay at hand while a text is walked over. */
  readonly #taken: Uint8Array;
  readonly #takenMask: number;
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
    this.#taken = new Uint8Array((size * sparse) >> 3);
    this.#takenMask = size * sparse - 1;
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
        const hash = hashOf(codes, place);
        const bit = hash & this.#takenMask;
        this.#taken[bit >> 3] = (this.#taken[bit >> 3] as number) | (1 << (bit & 7));
        const slot = hash & this.#mask;
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

  /** In the first so many codes. */
  find(codes: Uint16Array, length: number): readonly Seen[] {
    if (this.empty) return none;
    const taken = this.#taken;
    const mask = this.#takenMask;
    const step = this.#step;
    let search: Search | undefined;
    for (let at = 0; at + gram <= length; at += step) {
      const hash = hashOf(codes, at);
      const bit = hash & mask;
      if (((taken[bit >> 3] as number) & (1 << (bit & 7))) === 0) continue;
      search ??= { codes, length, found: [], done: new Map(), covered: new Map() };
      this.#look(search, at, hash & this.#mask);
    }
    return search?.found ?? none;
  }

  /** Compares with every needle that has something in this slot. */
  #look({ codes, length, found, done, covered }: Search, at: number, slot: number): void {
    let entry = this.#first[slot] as number;
    for (; entry !== -1; entry = this.#next[entry] as number) {
      const owner = this.#owner[entry] as number;
      const place = this.#place[entry] as number;
      const pair = owner * 0x4000_0000 + (at - place + 0x1000_0000);
      if ((done.get(pair) ?? -1) > at) continue;
      const needle = this.#needles[owner] as Needle;
      if ((covered.get(needle.secret) ?? -1) >= at + gram + this.#step) continue;
      const { start, end } = extent(codes, length, at, needle.codes, place);
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
}

interface Search {
  readonly codes: Uint16Array;
  readonly length: number;
  readonly found: Seen[];
  /** By needle and shift: how far that pair is known already. */
  readonly done: Map<number, number>;
  /** By secret: up to where it is known to stand here anyway. */
  readonly covered: Map<number, number>;
}

const none: readonly Seen[] = [];

function hashOf(codes: Uint16Array, at: number): number {
  let hash = 0;
  for (let index = at; index < at + gram; index++)
    hash = (Math.imul(hash, 31) + (codes[index] as number)) | 0;
  return hash ^ (hash >>> 15);
}

/** As far as both are the same, to the left and to the right. */
function extent(codes: Uint16Array, length: number, at: number, needle: Uint16Array, place: number) {
  let start = at;
  for (let mine = place; start > 0 && mine > 0 && codes[start - 1] === needle[mine - 1]; mine--) start--;
  let end = at;
  for (
    let mine = place;
    end < length && mine < needle.length && codes[end] === needle[mine] && codes[end] !== barrier;
    mine++
  )
    end++;
  return { start, end };
}
