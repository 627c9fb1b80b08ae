import { type BigIntStats, closeSync, fstatSync, lstatSync, openSync, readdirSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { untrustedReadFlags } from '../../files/read-flags.js';
import { realPathOf } from '../../files/real-path.js';
import { hasPrivateKey, keyMaterialKind } from '../../policy/key-material.js';
import { gitSteeringPlaces, isSteeringPlace } from '../../policy/steering-places.js';

/** A place in a mounted folder that steers other programs. */
export interface SteeringPlace {
  readonly path: string;
  readonly kind: 'file' | 'folder' | 'link';
}

/** What the scan of a workspace needs to know about one folder. Links are listed and never followed. */
export interface FolderListing {
  /** Changes whenever an entry is added, removed or renamed. */
  readonly identity: string;
  /** False if the folder changed so recently that a further change could have the same time. */
  readonly settled: boolean;
  /** Number of entries. */
  readonly count: number;
  /** Folders to scan: all that are not key material. */
  readonly folders: readonly string[];
  readonly keys: readonly string[];
  /** Files that are key material if their content has a private key. */
  readonly maybeKeys: readonly string[];
  readonly places: readonly SteeringPlace[];
}

/** Clocks of file systems advance in steps of up to some milliseconds. */
const settlingNs = 1_000_000_000n;
/** A larger file counts as key material without a look at its content. */
const maxPemBytes = 1024 * 1024;

/** Lists a folder, or returns the earlier listing if nothing changed. Null if the folder cannot be listed. */
export function listFolder(
  path: string,
  earlier: FolderListing | undefined,
  now: () => number,
): FolderListing | null {
  const stats = statsOf(path);
  if (stats === null) return null;
  if (stats === undefined) return emptyListing;
  const identity = identityOf(stats);
  if (earlier?.settled === true && earlier.identity === identity) return earlier;
  // The times of files come from the clock of this machine, so they are compared with it.
  const settled = BigInt(Math.floor(now())) * 1_000_000n - stats.ctimeNs > settlingNs;
  let entries: ReturnType<typeof readEntries>;
  try {
    entries = readEntries(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return emptyListing;
    return null;
  }
  const folders: string[] = [];
  const keys: string[] = [];
  const maybeKeys: string[] = [];
  const places: SteeringPlace[] = [];
  const names = new Set<string>();
  for (const entry of entries) {
    const { name } = entry;
    names.add(name);
    const key = keyMaterialKind(path, name);
    if (key === 'always') keys.push(join(path, name));
    else if (key === 'if-private' && !entry.isDirectory()) maybeKeys.push(join(path, name));
    if (entry.isDirectory() && key !== 'always') folders.push(join(path, name));
    if (isSteeringPlace(path, name)) places.push({ path: join(path, name), kind: kindOf(entry) });
  }
  for (const name of gitSteeringPlaces(names)) {
    const place = join(path, name);
    const entry = entries.find((it) => it.name === name);
    if (entry !== undefined && !places.some((it) => it.path === place))
      places.push({ path: place, kind: kindOf(entry) });
  }
  return { identity, settled, count: entries.length, folders, keys, maybeKeys, places };
}

/** What identifies an entry: the first part stays the same while it exists, `changed` differs after every change. */
export interface EntryIdentity {
  readonly entry: string;
  readonly changed: string;
}

/** Undefined if there is no such entry. */
export function entryIdentity(path: string): EntryIdentity | undefined {
  const stats = statsOf(path);
  if (stats === undefined || stats === null) return undefined;
  return { entry: `${stats.dev}:${stats.ino}:${stats.birthtimeNs}`, changed: String(stats.ctimeNs) };
}

/** Whether a file has a private key, or cannot be checked. A missing file has none. */
export function containsPrivateKey(path: string): boolean {
  const real = realPathOf(path);
  if (real === undefined) return false;
  let descriptor: number;
  try {
    descriptor = openSync(real, untrustedReadFlags);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ENOENT';
  }
  try {
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) return false;
    if (stats.size > maxPemBytes) return true;
    const bytes = Buffer.alloc(maxPemBytes);
    return hasPrivateKey(bytes.toString('latin1', 0, readSync(descriptor, bytes, 0, maxPemBytes, 0)));
  } catch {
    return true;
  } finally {
    closeSync(descriptor);
  }
}

const emptyListing: FolderListing = {
  identity: '',
  settled: false,
  count: 0,
  folders: [],
  keys: [],
  maybeKeys: [],
  places: [],
};

/** Undefined if there is no such entry, null if it cannot be reached. */
function statsOf(path: string): BigIntStats | undefined | null {
  try {
    return lstatSync(path, { bigint: true, throwIfNoEntry: false });
  } catch {
    return null;
  }
}

function readEntries(path: string) {
  return readdirSync(path, { withFileTypes: true });
}

function kindOf(entry: { isDirectory(): boolean; isSymbolicLink(): boolean }): SteeringPlace['kind'] {
  if (entry.isSymbolicLink()) return 'link';
  return entry.isDirectory() ? 'folder' : 'file';
}

function identityOf({ dev, ino, ctimeNs }: BigIntStats): string {
  return `${dev}:${ino}:${ctimeNs}`;
}
