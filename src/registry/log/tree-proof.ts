// Checks of inclusion and consistency proofs (RFC 9162, sections 2.1.3.2 and 2.1.4.2), and the nodes that such proofs
// consist of.
import { nodeHash } from '../../store/merkle-tree.js';
import type { TreeNode } from './log-tiles.js';

/** Whether the proof shows that a leaf has this place in the tree with this root. */
export function provesInclusion(
  leaf: Buffer,
  index: number,
  tree: { readonly size: number; readonly root: Buffer },
  proof: readonly Buffer[],
): boolean {
  if (!(index < tree.size)) return false;
  let [node, last, hash] = [index, tree.size - 1, leaf];
  for (const it of proof) {
    if (last === 0) return false;
    if (node % 2 === 1 || node === last) {
      hash = nodeHash(it, hash);
      while (node % 2 === 0 && node !== 0) [node, last] = [half(node), half(last)];
    } else hash = nodeHash(hash, it);
    [node, last] = [half(node), half(last)];
  }
  return last === 0 && hash.equals(tree.root);
}

/** Whether the proof shows that the second tree begins with the first one. */
export function provesConsistency(
  first: { readonly size: number; readonly root: Buffer },
  second: { readonly size: number; readonly root: Buffer },
  proof: readonly Buffer[],
): boolean {
  if (first.size > second.size) return false;
  if (first.size === second.size) return proof.length === 0 && first.root.equals(second.root);
  if (first.size === 0) return proof.length === 0;
  const hashes = Number.isInteger(Math.log2(first.size)) ? [first.root, ...proof] : [...proof];
  const start = hashes.shift();
  if (start === undefined) return false;
  let [node, last] = [first.size - 1, second.size - 1];
  let [old, now] = [start, start];
  while (node % 2 === 1) [node, last] = [half(node), half(last)];
  for (const it of hashes) {
    if (last === 0) return false;
    if (node % 2 === 1 || node === last) {
      [old, now] = [nodeHash(it, old), nodeHash(it, now)];
      while (node % 2 === 0 && node !== 0) [node, last] = [half(node), half(last)];
    } else now = nodeHash(now, it);
    [node, last] = [half(node), half(last)];
  }
  return last === 0 && old.equals(first.root) && now.equals(second.root);
}

/** A part of the tree whose hash is computed from complete nodes, left to right. */
export type TreeRange = readonly TreeNode[];

/** The parts whose hashes are an inclusion proof, from the sibling of the leaf up. */
export function inclusionRanges(index: number, size: number): TreeRange[] {
  const found: TreeRange[] = [];
  let [start, end] = [0, size];
  while (end - start > 1) {
    const middle = start + splitOf(end - start);
    found.unshift(index < middle ? rangeOf(middle, end) : rangeOf(start, middle));
    [start, end] = index < middle ? [start, middle] : [middle, end];
  }
  return found;
}

/** The parts whose hashes are a consistency proof. */
export function consistencyRanges(from: number, size: number): TreeRange[] {
  if (from === 0 || from === size) return [];
  const found: TreeRange[] = [];
  let [start, end, known] = [0, size, true];
  while (from !== end) {
    const middle = start + splitOf(end - start);
    if (from <= middle) {
      found.unshift(rangeOf(middle, end));
      end = middle;
    } else {
      found.unshift(rangeOf(start, middle));
      start = middle;
      known = false;
    }
  }
  return known ? found : [rangeOf(start, end), ...found];
}

/** The complete nodes that the leaves from `start` to `end` consist of. */
export function rangeOf(start: number, end: number): TreeRange {
  const nodes: TreeNode[] = [];
  for (let at = start; at < end; ) {
    let level = 0;
    while (at % 2 ** (level + 1) === 0 && at + 2 ** (level + 1) <= end) level++;
    nodes.push({ level, index: at / 2 ** level });
    at += 2 ** level;
  }
  return nodes;
}

/** The hash of a part, from the hashes of its nodes. */
export function rangeHash(hashes: readonly Buffer[]): Buffer {
  return hashes.reduceRight((right, left) => nodeHash(left, right));
}

function half(value: number): number {
  return Math.floor(value / 2);
}

/** The largest power of two below `count`. */
function splitOf(count: number): number {
  let split = 1;
  while (split * 2 < count) split *= 2;
  return split;
}
