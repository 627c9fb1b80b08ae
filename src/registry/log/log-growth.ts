// The files that a log gets when entries are added to it.

import { sha256Bytes } from '../../files/sha256.js';
import { HostError } from '../../model/host-error.js';
import type { LogHead } from './log-head.js';
import type { ReadLogFile } from './log-reader.js';
import {
  entriesPath,
  logLeaf,
  nodeIn,
  readBundle,
  tileOf,
  tilePath,
  tileWidth,
  widthOf,
  writeBundle,
} from './log-tiles.js';
import { rangeHash, rangeOf } from './tree-proof.js';

export interface LogGrowth {
  readonly size: number;
  readonly root: Buffer;
  /** New files by their paths. */
  readonly files: ReadonlyMap<string, Buffer>;
}

const maxBytes = 16 * 1024 * 1024;

/** Adds entries to a log. Reads only the files at its right edge. */
export async function growLog(
  head: Pick<LogHead, 'size' | 'root'>,
  added: readonly Uint8Array[],
  read: ReadLogFile,
): Promise<LogGrowth> {
  const files = new Map<string, Buffer>();
  const size = head.size + added.length;
  const edge = async (path: string): Promise<Buffer> => {
    const found = await read(path, maxBytes);
    if (found !== undefined) return found;
    throw new HostError('integrity', `the transparency log of the registry has no ${path}`);
  };
  let entries: Buffer[] = added.map((it) => Buffer.from(it));
  const first = Math.floor(head.size / tileWidth);
  if (head.size % tileWidth > 0)
    entries = [...(readBundle(await edge(entriesPath(first, head.size % tileWidth))) ?? []), ...entries];
  for (let at = 0; at < entries.length; at += tileWidth) {
    const part = entries.slice(at, at + tileWidth);
    files.set(entriesPath(first + at / tileWidth, part.length), writeBundle(part));
  }
  let hashes: Buffer[] = added.map(logLeaf);
  for (let level = 0, count = head.size; hashes.length > 0; level++) {
    const tile = Math.floor(count / tileWidth);
    const known = count % tileWidth;
    const start = known === 0 ? [] : [await edge(tilePath({ level, index: tile, width: known }))];
    const row = Buffer.concat([...start, ...hashes]);
    const above: Buffer[] = [];
    for (let at = 0, index = tile; at < row.length; at += tileWidth * 32, index++) {
      const bytes = row.subarray(at, at + tileWidth * 32);
      const width = bytes.length / 32;
      files.set(tilePath({ level, index, width }), bytes);
      if (width === tileWidth) above.push(rootOfTile(bytes));
    }
    hashes = above;
    count = Math.floor(count / tileWidth);
  }
  return { size, root: await rootOf(size, files, edge), files };
}

async function rootOf(
  size: number,
  files: ReadonlyMap<string, Buffer>,
  edge: (path: string) => Promise<Buffer>,
): Promise<Buffer> {
  if (size === 0) return sha256Bytes('');
  const hashes: Buffer[] = [];
  for (const node of rangeOf(0, size)) {
    const tile = tileOf(node);
    const path = tilePath({ ...tile, width: widthOf(tile.level, tile.index, size) });
    const hash = nodeIn(files.get(path) ?? (await edge(path)), node);
    if (hash === undefined) throw new HostError('integrity', `${path} of the transparency log is too short`);
    hashes.push(hash);
  }
  return rangeHash(hashes);
}

function rootOfTile(bytes: Buffer): Buffer {
  let level = Array.from({ length: tileWidth }, (_, it) => bytes.subarray(it * 32, it * 32 + 32));
  while (level.length > 1) {
    const below = level;
    level = Array.from({ length: below.length / 2 }, (_, it) =>
      rangeHash([below[it * 2] as Buffer, below[it * 2 + 1] as Buffer]),
    );
  }
  return level[0] as Buffer;
}
