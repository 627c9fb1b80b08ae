// Proofs of RFC 6962, sections 2.1.1 and 2.1.2. They need all leaves, so they cost time in proportion to the tree.
import { emptyTree, treeRoot, withLeaf } from './merkle-tree.js';

/** Hashes of the leaves, in order. */
export type Leaves = readonly Buffer[];

/** Proves that a leaf (counted from 0) is in the tree of the first `size` leaves: from its sibling up to the root. */
export function inclusionProof(leaves: Leaves, index: number, size: number): Buffer[] {
  return path(leaves, index, 0, size);
}

/** Proves that the tree of the first `from` leaves is the beginning of the tree of the first `size` leaves. */
export function consistencyProof(leaves: Leaves, from: number, size: number): Buffer[] {
  return from === 0 ? [] : subproof(leaves, from, 0, size, true);
}

function path(leaves: Leaves, index: number, start: number, end: number): Buffer[] {
  if (end - start === 1) return [];
  const middle = start + splitOf(end - start);
  return index < middle
    ? [...path(leaves, index, start, middle), rootOf(leaves, middle, end)]
    : [...path(leaves, index, middle, end), rootOf(leaves, start, middle)];
}

/** `known`: the verifier has the root of the tree from `start` to `from` already. */
function subproof(leaves: Leaves, from: number, start: number, end: number, known: boolean): Buffer[] {
  if (from === end) return known ? [] : [rootOf(leaves, start, end)];
  const middle = start + splitOf(end - start);
  return from <= middle
    ? [...subproof(leaves, from, start, middle, known), rootOf(leaves, middle, end)]
    : [...subproof(leaves, from, middle, end, false), rootOf(leaves, start, middle)];
}

function rootOf(leaves: Leaves, start: number, end: number): Buffer {
  return treeRoot(leaves.slice(start, end).reduce(withLeaf, emptyTree));
}

/** The largest power of two below `count`. */
function splitOf(count: number): number {
  let split = 1;
  while (split * 2 < count) split *= 2;
  return split;
}
