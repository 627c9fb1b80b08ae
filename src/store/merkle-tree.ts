// A Merkle tree as in RFC 6962, section 2.1, over SHA-256. Only its right edge is kept: that is enough to add leaves and to
// compute the root, and it has at most one hash per bit of the size.
import { sha256Bytes } from '../files/sha256.js';

export interface TreeEdge {
  /** Number of leaves. */
  readonly size: number;
  /** Roots of the complete subtrees from left to right: one per 1 bit of `size`, the largest first. */
  readonly nodes: readonly Buffer[];
}

export const emptyTree: TreeEdge = { size: 0, nodes: [] };
const hashBytes = 32;
const leafPrefix = Buffer.of(0);
const nodePrefix = Buffer.of(1);

export function leafHash(data: Uint8Array): Buffer {
  return sha256Bytes(Buffer.concat([leafPrefix, data]));
}

export function nodeHash(left: Uint8Array, right: Uint8Array): Buffer {
  return sha256Bytes(Buffer.concat([nodePrefix, left, right]));
}

/** The tree with one more leaf, given by its hash. */
export function withLeaf({ size, nodes }: TreeEdge, leaf: Buffer): TreeEdge {
  const left = [...nodes];
  let node = leaf;
  // Subtrees of equal size are joined, like the carries when 1 is added to `size`.
  for (let rest = size; rest % 2 === 1; rest = (rest - 1) / 2) node = nodeHash(left.pop() as Buffer, node);
  left.push(node);
  return { size: size + 1, nodes: left };
}

/** Of an empty tree: the hash of nothing. */
export function treeRoot({ nodes }: TreeEdge): Buffer {
  const [last, ...rest] = nodes.toReversed();
  return last === undefined
    ? sha256Bytes('')
    : rest.reduce<Buffer>((right, left) => nodeHash(left, right), last);
}

export function serializeEdge({ nodes }: TreeEdge): Buffer {
  return Buffer.concat(nodes);
}

/** Undefined if a tree of this size cannot have this edge. */
export function parseEdge(size: number, bytes: Uint8Array): TreeEdge | undefined {
  if (!Number.isSafeInteger(size) || size < 0) return undefined;
  const count = [...size.toString(2)].filter((it) => it === '1').length;
  if (bytes.length !== count * hashBytes) return undefined;
  const all = Buffer.from(bytes);
  const nodes = Array.from({ length: count }, (_, index) =>
    all.subarray(index * hashBytes, (index + 1) * hashBytes),
  );
  return { size, nodes };
}
