// Reads what a proof needs from the tiles of a log. Nothing is believed: every proof is checked against a signed head.
import { HostError } from '../../model/host-error.js';
import type { LogHead } from './log-head.js';
import {
  entriesPath,
  nodeIn,
  readBundle,
  type TreeNode,
  tileOf,
  tilePath,
  tileWidth,
  widthOf,
} from './log-tiles.js';
import {
  consistencyRanges,
  inclusionRanges,
  provesConsistency,
  provesInclusion,
  rangeHash,
  type TreeRange,
} from './tree-proof.js';

/** Reads a file of the log; undefined if it does not exist. */
export type ReadLogFile = (path: string, maxBytes: number) => Promise<Buffer | undefined>;

const hashBytes = 32;
const maxBundleBytes = 16 * 1024 * 1024;

/** A log with one size. Tiles are read once. */
export class LogReader {
  readonly size: number;
  readonly #read: ReadLogFile;
  /** A node high in a tile is computed from many hashes, and belongs to many proofs. */
  readonly #nodes = new Map<string, Buffer>();
  readonly #tiles = new Map<string, Promise<Buffer>>();

  constructor(size: number, read: ReadLogFile) {
    this.size = size;
    this.#read = read;
  }

  async inclusionProof(index: number): Promise<Buffer[]> {
    return this.#hashesOf(inclusionRanges(index, this.size));
  }

  async consistencyProof(from: number): Promise<Buffer[]> {
    return this.#hashesOf(consistencyRanges(from, this.size));
  }

  /** The entries of one bundle. */
  async entries(bundle: number): Promise<Buffer[]> {
    const width = widthOf(0, bundle, this.size);
    const bytes = await this.#file(
      entriesPath(bundle, width),
      entriesPath(bundle, tileWidth),
      maxBundleBytes,
    );
    const entries = readBundle(bytes);
    if (entries === undefined || entries.length < width) throw damaged('a bundle of entries is damaged');
    return entries.slice(0, width);
  }

  #hashesOf(ranges: readonly TreeRange[]): Promise<Buffer[]> {
    return Promise.all(
      ranges.map(async (range) => rangeHash(await Promise.all(range.map((it) => this.#node(it))))),
    );
  }

  async #node(node: TreeNode): Promise<Buffer> {
    const name = `${node.level}/${node.index}`;
    const known = this.#nodes.get(name);
    if (known !== undefined) return known;
    const hash = nodeIn(await this.#tile(tileOf(node)), node);
    if (hash === undefined) throw damaged('a tile is too short');
    this.#nodes.set(name, hash);
    return hash;
  }

  #tile({ level, index }: { readonly level: number; readonly index: number }): Promise<Buffer> {
    const name = `${level}/${index}`;
    const known = this.#tiles.get(name);
    if (known !== undefined) return known;
    const width = widthOf(level, index, this.size);
    const path = tilePath({ level, index, width });
    const tile = this.#file(path, tilePath({ level, index, width: tileWidth }), tileWidth * hashBytes);
    this.#tiles.set(name, tile);
    return tile;
  }

  /** A narrow file may be gone once the full one is there. */
  async #file(path: string, fullPath: string, maxBytes: number): Promise<Buffer> {
    const bytes = (await this.#read(path, maxBytes)) ?? (await this.#read(fullPath, maxBytes));
    if (bytes === undefined) throw damaged(`it has no ${path}`);
    return bytes;
  }
}

/** Throws unless the log only grew between two heads; `reader` reads it at the size of the newer one. Both heads are in the error. */
export async function assertLogGrew(old: LogHead, now: LogHead, reader: LogReader): Promise<void> {
  if (old.origin !== now.origin) throw contradiction(old, now, 'they belong to different logs');
  if (old.size > now.size) throw contradiction(old, now, 'entries are missing');
  let proof: Buffer[];
  try {
    proof = await reader.consistencyProof(old.size);
  } catch (error) {
    if (!(error instanceof HostError) || error.code !== 'integrity') throw error;
    throw contradiction(old, now, error.message, error);
  }
  if (!provesConsistency(old, now, proof)) throw contradiction(old, now, 'the entries differ');
}

/** Throws unless the log has this leaf at this place. */
export async function assertLogged(
  leaf: Buffer,
  index: number,
  head: LogHead,
  reader: LogReader,
  what: string,
): Promise<void> {
  const proof = index < head.size ? await reader.inclusionProof(index) : [];
  if (provesInclusion(leaf, index, head, proof)) return;
  throw new HostError('integrity', `${what} is not in the transparency log of the registry`, {
    hint: 'do not use it, and tell the operator of the registry',
  });
}

/** A head in one line, for messages. */
export function headText({ size, root }: Pick<LogHead, 'size' | 'root'>): string {
  return `${size.toLocaleString('en')} entries, root ${root.toString('base64')}`;
}

function contradiction(old: LogHead, now: LogHead, problem: string, cause?: unknown): HostError {
  return new HostError(
    'integrity',
    `the transparency log of the registry contradicts what it said before: ${problem}. Seen before: ${headText(old)}. Now: ${headText(now)}`,
    {
      hint: 'the registry showed different logs; compare the heads with what others see, and tell the operator',
      ...(cause === undefined ? {} : { cause }),
    },
  );
}

function damaged(problem: string): HostError {
  return new HostError('integrity', `the transparency log of the registry is damaged: ${problem}`, {
    hint: 'tell the operator of the registry',
  });
}
