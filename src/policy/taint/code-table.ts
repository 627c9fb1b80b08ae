/** Entries until the table grows, as a part of its slots. */
const maxFill = 0.6;
/** Bytes of one slot: a hash, and an offset with flags. */
export const bytesPerSlot = 8;
/** Bits of the flags, below the offset. An index of 32 MiB has offsets of 24 bits. */
const flagBits = 3;
const flagMask = (1 << flagBits) - 1;

/**
 * A set of pieces of a text of codes: open addressing in typed arrays. Pieces with the same hash are compared, so that
 * nobody can hide one piece behind another.
 */
export class CodeTable {
  /** Two numbers for each slot, beside each other for the cache: the hash, and the offset plus one with the flags; 0: free. */
  #slots: Uint32Array;
  #count = 0;
  #limit: number;

  constructor(slots: number) {
    this.#slots = new Uint32Array(slots * 2);
    this.#limit = slots * maxFill;
  }

  get bytes(): number {
    return this.#slots.byteLength;
  }

  /** Bytes after `added` more pieces. */
  bytesWith(added: number): number {
    let slots = this.#slots.length / 2;
    while (this.#count + added > slots * maxFill) slots = grown(slots);
    return slots * bytesPerSlot;
  }

  /** Adds the piece of `length` codes at `offset`; its flags join those that it has. */
  add(codes: Uint16Array, hash: number, offset: number, length: number, flags: number): void {
    if (this.#count + 1 > this.#limit) this.#grow();
    const slots = this.#slots;
    const mask = slots.length - 2;
    for (let slot = (hash * 2) & mask; ; slot = (slot + 2) & mask) {
      const place = slots[slot + 1] as number;
      if (place === 0) {
        slots[slot] = hash;
        slots[slot + 1] = ((offset + 1) << flagBits) | flags;
        this.#count++;
        return;
      }
      if (slots[slot] === hash && isSame(codes, (place >>> flagBits) - 1, codes, offset, length)) {
        if ((place & flags) !== flags) slots[slot + 1] = place | flags;
        return;
      }
    }
  }

  /** Where a piece was first seen, if it has one of the flags; -1 if not. */
  find(
    codes: Uint16Array,
    hash: number,
    piece: Uint16Array,
    start: number,
    length: number,
    flags: number,
  ): number {
    const slots = this.#slots;
    const mask = slots.length - 2;
    for (let slot = (hash * 2) & mask; ; slot = (slot + 2) & mask) {
      const place = slots[slot + 1] as number;
      if (place === 0) return -1;
      if (slots[slot] === hash && isSame(codes, (place >>> flagBits) - 1, piece, start, length))
        return (place & flagMask & flags) === 0 ? -1 : (place >>> flagBits) - 1;
    }
  }

  #grow(): void {
    const before = this.#slots;
    const count = grown(before.length / 2);
    const slots = new Uint32Array(count * 2);
    const mask = slots.length - 2;
    for (let from = 0; from < before.length; from += 2) {
      const place = before[from + 1] as number;
      if (place === 0) continue;
      const hash = before[from] as number;
      let slot = (hash * 2) & mask;
      while (slots[slot + 1] !== 0) slot = (slot + 2) & mask;
      slots[slot] = hash;
      slots[slot + 1] = place;
    }
    this.#slots = slots;
    this.#limit = count * maxFill;
  }
}

/** Small tables grow faster: copying costs more than their memory. */
function grown(slots: number): number {
  return slots < 32_768 ? slots * 8 : slots * 2;
}

function isSame(a: Uint16Array, aStart: number, b: Uint16Array, bStart: number, length: number): boolean {
  for (let at = 0; at < length; at++) if (a[aStart + at] !== b[bStart + at]) return false;
  return true;
}
