import { type JsonPath, toPointer } from '../../model/json.js';
import { foldedAscii, foldedCodes } from './folded-text.js';
import type { Provenance, TaintOrigin } from './taint-label.js';

/** A value of a call that was seen in a result. */
export interface SourceMatch {
  /** Undefined: the index is incomplete, so the value may have been seen. */
  readonly source: Provenance | undefined;
  /** The text around it. */
  readonly quote: string | undefined;
}

/** One text of a result. */
export interface IndexedLeaf {
  /** Where its codes begin. */
  readonly start: number;
  readonly text: string;
  readonly path: JsonPath;
  readonly origin: TaintOrigin;
  readonly flags: number;
}

/** The leaf with the code at this offset. */
export function leafAt(leaves: readonly IndexedLeaf[], offset: number): IndexedLeaf {
  let low = 0;
  let high = leaves.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((leaves[middle] as IndexedLeaf).start <= offset) low = middle;
    else high = middle - 1;
  }
  return leaves[low] as IndexedLeaf;
}

/** A place in a leaf, with the text around it. */
export function matchIn({ origin, path, text }: IndexedLeaf, offset: number): SourceMatch {
  const start = Math.max(0, offset - 80);
  const end = Math.min(text.length, offset + 120);
  const quote = `${start > 0 ? '…' : ''}${text.slice(start, end)}${end < text.length ? '…' : ''}`;
  // Member by member: it is made for many calls, and a spread with new members is slow.
  const { package: pkg, tool, callId, call } = origin;
  return { source: { package: pkg, tool, callId, call, pointer: toPointer(path), offset }, quote };
}

/** Offset in the text of the letter with this number among those that count. */
export function offsetIn(text: string, counted: number): number {
  let left = counted;
  for (let index = 0; index < text.length; index++) {
    const point = text.codePointAt(index) as number;
    const size = point < 128 ? (foldedAscii(point) === 0 ? 0 : 1) : foldedCodes(point).length;
    if (left < size) return index;
    left -= size;
    if (point > 0xffff) index++;
  }
  return 0;
}

/** Whether a part of a text has no letter or digit beside it. `last`: where its last letter is. */
export function isWhole(text: string, first: number, last: number): boolean {
  const end = last + ((text.codePointAt(last) ?? 0) > 0xffff ? 2 : 1);
  return !/[\p{L}\p{N}]/u.test(`${text.charAt(first - 1)}${text.charAt(end)}`);
}
