import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isConsistent, isIncluded } from '../../test/support/tlog-verifier.js';
import { consistencyProof, inclusionProof } from './merkle-proof.js';
import { emptyTree, leafHash, parseEdge, serializeEdge, treeRoot, withLeaf } from './merkle-tree.js';

/** Leaves and roots that implementations of RFC 6962 are tested with since Certificate Transparency. */
const inputs = [
  '',
  '00',
  '10',
  '2021',
  '3031',
  '40414243',
  '5051525354555657',
  '606162636465666768696a6b6c6d6e6f',
];
const roots = [
  'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
];

const treeOf = (leaves: readonly Buffer[]) => leaves.reduce(withLeaf, emptyTree);
const rootOf = (leaves: readonly Buffer[]) => treeRoot(treeOf(leaves));
const leavesOf = (count: number) =>
  Array.from({ length: count }, (_, it) => leafHash(Buffer.from(`entry ${it}`)));

test.each(roots.map((root, size) => ({ size, root })))(
  'the tree of the first $size known inputs has the known root',
  ({ size, root }) => {
    const leaves = inputs.slice(0, size).map((it) => leafHash(Buffer.from(it, 'hex')));
    expect(rootOf(leaves).toString('hex')).toBe(root);
  },
);

test('a stored edge continues the tree, and an edge of the wrong size is rejected', () => {
  for (let size = 0; size < 70; size++) {
    const edge = treeOf(leavesOf(size));
    const read = parseEdge(size, serializeEdge(edge));
    expect(read).toEqual(edge);
    const [next] = leavesOf(1) as [Buffer];
    expect(treeRoot(withLeaf(read as typeof edge, next))).toEqual(rootOf([...leavesOf(size), next]));
    expect(parseEdge(size, Buffer.concat([serializeEdge(edge), next]))).toBeUndefined();
  }
});

describe('proofs pass an independent verifier, and no other leaf or root passes', () => {
  const sizes = fc.integer({ min: 1, max: 130 });

  test('of an entry', () => {
    fc.assert(
      fc.property(sizes, fc.nat(), fc.nat(), (size, at, other) => {
        const leaves = leavesOf(size);
        const checkpoint = { origin: '', size, root: rootOf(leaves) };
        const index = at % size;
        const proof = inclusionProof(leaves, index, size);
        expect(isIncluded(checkpoint, index, leaves[index] as Buffer, proof)).toBe(true);
        const wrong = leafHash(Buffer.from(`forged ${other}`));
        expect(isIncluded(checkpoint, index, wrong, proof)).toBe(false);
        if (size > 1)
          expect(isIncluded(checkpoint, index, leaves[index] as Buffer, proof.slice(1))).toBe(false);
      }),
    );
  });

  test('of growth', () => {
    fc.assert(
      fc.property(sizes, fc.nat(), (size, part) => {
        const leaves = leavesOf(size);
        const from = 1 + (part % size);
        const [first, second] = [from, size].map((it) => ({
          size: it,
          root: rootOf(leaves.slice(0, it)),
        })) as [{ size: number; root: Buffer }, { size: number; root: Buffer }];
        const proof = consistencyProof(leaves, from, size);
        expect(isConsistent(first, second, proof)).toBe(true);
        const rewritten = leaves.with(0, leafHash(Buffer.from('forged')));
        const forged = { size, root: rootOf(rewritten) };
        expect(isConsistent(first, forged, consistencyProof(rewritten, from, size))).toBe(false);
      }),
    );
  });

  test('growth from nothing needs no proof', () => {
    expect(consistencyProof(leavesOf(5), 0, 5)).toEqual([]);
  });
});
