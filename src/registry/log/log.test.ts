import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isConsistent, isIncluded, leafOf } from '../../../test/support/tlog-verifier.js';
import { inclusionProof } from '../../store/merkle-proof.js';
import { emptyTree, treeRoot, withLeaf } from '../../store/merkle-tree.js';
import { growLog, type LogGrowth } from './log-growth.js';
import { LogReader } from './log-reader.js';
import { entriesPath, tilePath, tileWidth } from './log-tiles.js';
import { provesConsistency, provesInclusion } from './tree-proof.js';

const entry = (number: number) => Buffer.from(`entry ${number}`);

async function grown(steps: readonly number[]): Promise<{ files: Map<string, Buffer>; heads: LogGrowth[] }> {
  const files = new Map<string, Buffer>();
  const heads: LogGrowth[] = [];
  let head: Pick<LogGrowth, 'size' | 'root'> = { size: 0, root: Buffer.alloc(0) };
  for (const count of steps) {
    const from = head.size;
    const added = Array.from({ length: count }, (_, it) => entry(from + it));
    const growth = await growLog(head, added, async (path) => files.get(path));
    for (const [path, bytes] of growth.files) files.set(path, bytes);
    heads.push(growth);
    head = growth;
  }
  return { files, heads };
}

test('the names of tiles are those of the specification', () => {
  expect(tilePath({ level: 0, index: 0, width: 1 })).toBe('tile/0/000.p/1');
  expect(tilePath({ level: 2, index: 1_234_067, width: tileWidth })).toBe('tile/2/x001/x234/067');
  expect(entriesPath(1000, 17)).toBe('tile/entries/x001/000.p/17');
});

test('a log that grows in any steps has the root of its tree, and its tiles prove entries and growth', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.oneof(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 200, max: 600 })), {
        minLength: 1,
        maxLength: 5,
      }),
      fc.nat(),
      fc.nat(),
      async (steps, pick, step) => {
        const { files, heads } = await grown(steps);
        const now = heads.at(-1) as LogGrowth;
        const leaves = Array.from({ length: now.size }, (_, it) => leafOf(entry(it)));
        expect(now.root).toEqual(treeRoot(leaves.reduce(withLeaf, emptyTree)));
        const reader = new LogReader(now.size, async (path) => files.get(path));
        const index = pick % now.size;
        const proof = await reader.inclusionProof(index);
        expect(proof).toEqual(inclusionProof(leaves, index, now.size));
        const leaf = leaves[index] as Buffer;
        expect(provesInclusion(leaf, index, now, proof)).toBe(true);
        expect(isIncluded({ origin: '', ...now }, index, leaf, proof)).toBe(true);
        expect(provesInclusion(leafOf(entry(-1)), index, now, proof)).toBe(false);
        const old = heads[step % heads.length] as LogGrowth;
        const growth = await reader.consistencyProof(old.size);
        expect(provesConsistency(old, now, growth)).toBe(true);
        expect(isConsistent(old, now, growth)).toBe(true);
        expect(provesConsistency({ size: old.size, root: leafOf(entry(-1)) }, now, growth)).toBe(false);
        const bundle = Math.floor(index / tileWidth);
        expect((await reader.entries(bundle))[index % tileWidth]).toEqual(entry(index));
      },
    ),
    { numRuns: 60 },
  );
});

test('a log of more than 65,536 entries has three levels of tiles', async () => {
  const { files, heads } = await grown([65_536, 300]);
  const now = heads.at(-1) as LogGrowth;
  expect(files.has('tile/2/000.p/1')).toBe(true);
  const reader = new LogReader(now.size, async (path) => files.get(path));
  for (const index of [0, 65_535, 65_536, 65_800])
    expect(
      provesInclusion(leafOf(entry(index)), index, now, await reader.inclusionProof(index)),
      String(index),
    ).toBe(true);
  const [old] = heads as [LogGrowth];
  expect(provesConsistency(old, now, await reader.consistencyProof(old.size))).toBe(true);
});
