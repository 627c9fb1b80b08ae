// The files of a transparency log as in c2sp.org/tlog-tiles: hashes of the tree in tiles of 256, and entries in bundles of
// 256. A tile that is not full has its width in its name, so no file ever changes its content.
import { leafHash, nodeHash } from '../../store/merkle-tree.js';

export const tileWidth = 256;
const tileHeight = 8;
const hashBytes = 32;
/** An entry has its length before it, in two bytes. */
const maxEntryBytes = 65_535;

/** One tile. `level` counts tiles, not levels of the tree. */
export interface Tile {
  readonly level: number;
  readonly index: number;
  /** Hashes in it, from 1 to 256. */
  readonly width: number;
}

export function tilePath({ level, index, width }: Tile): string {
  return `tile/${level}/${numberPath(index)}${suffix(width)}`;
}

export function entriesPath(index: number, width: number): string {
  return `tile/entries/${numberPath(index)}${suffix(width)}`;
}

/** How wide a tile is in a tree of this size; 0 if it has no hashes yet. */
export function widthOf(level: number, index: number, size: number): number {
  const hashes = Math.floor(size / tileWidth ** level);
  return Math.max(0, Math.min(tileWidth, hashes - index * tileWidth));
}

/** A node of the tree: `level` 0 are the leaves. */
export interface TreeNode {
  readonly level: number;
  readonly index: number;
}

/** The tile that contains a node or the hashes below it. */
export function tileOf({ level, index }: TreeNode): { readonly level: number; readonly index: number } {
  const tileLevel = Math.floor(level / tileHeight);
  return { level: tileLevel, index: Math.floor((index * 2 ** (level % tileHeight)) / tileWidth) };
}

/** The hash of a node, from the tile that contains it. Undefined if the tile is too narrow. */
export function nodeIn(tile: Uint8Array, { level, index }: TreeNode): Buffer | undefined {
  const span = 2 ** (level % tileHeight);
  const from = (index * span) % tileWidth;
  const bytes = Buffer.from(tile.buffer, tile.byteOffset, tile.byteLength);
  if (bytes.length < (from + span) * hashBytes) return undefined;
  let hashes = Array.from({ length: span }, (_, it) =>
    bytes.subarray((from + it) * hashBytes, (from + it + 1) * hashBytes),
  );
  while (hashes.length > 1)
    hashes = Array.from({ length: hashes.length / 2 }, (_, it) =>
      nodeHash(hashes[it * 2] as Buffer, hashes[it * 2 + 1] as Buffer),
    );
  return hashes[0];
}

export function writeBundle(entries: readonly Uint8Array[]): Buffer {
  return Buffer.concat(
    entries.flatMap((it) => {
      if (it.length > maxEntryBytes) throw new Error('an entry of the log is too long');
      const length = Buffer.alloc(2);
      length.writeUInt16BE(it.length);
      return [length, it];
    }),
  );
}

/** Undefined if the bytes are not a bundle. */
export function readBundle(bytes: Uint8Array): Buffer[] | undefined {
  const all = Buffer.from(bytes);
  const entries: Buffer[] = [];
  for (let at = 0; at < all.length; ) {
    if (at + 2 > all.length) return undefined;
    const end = at + 2 + all.readUInt16BE(at);
    if (end > all.length) return undefined;
    entries.push(all.subarray(at + 2, end));
    at = end;
  }
  return entries;
}

export function logLeaf(entry: Uint8Array): Buffer {
  return leafHash(entry);
}

function numberPath(value: number): string {
  const groups = [String(value % 1000).padStart(3, '0')];
  for (let rest = Math.floor(value / 1000); rest > 0; rest = Math.floor(rest / 1000))
    groups.unshift(`x${String(rest % 1000).padStart(3, '0')}`);
  return groups.join('/');
}

function suffix(width: number): string {
  return width === tileWidth ? '' : `.p/${width}`;
}
