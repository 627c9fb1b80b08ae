import { chmodSync, existsSync, renameSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolderWithMode, moveTree } from '../environment/file-tree.js';
import type { KnownHashes } from '../files/known-hashes.js';
import { HostError } from '../model/host-error.js';
import { filePool } from './file-pool.js';
import { SharedFlush } from './shared-flush.js';
import { openStagingFolder, removeAbandonedStaging, type StagingFolder } from './staging.js';
import { storageFailure } from './storage-failure.js';
import { type DigestedFile, treeDigest } from './tree-digest.js';
import type { TreeFiles } from './tree-file.js';
import { readTree } from './tree-reading.js';
import { TreeWriter } from './tree-writing.js';

export interface StoredTree {
  readonly digest: string;
  readonly folder: string;
  readonly bytes: number;
  readonly files: number;
  /** Whether `add` created it; false if it was there before. */
  readonly created: boolean;
}

export interface AddOptions {
  readonly signal: AbortSignal;
  /** Whether a folder that contains everything else is left out. Default: false. */
  readonly withoutTopFolder?: boolean | undefined;
}

/** Immutable trees of files, named by the digest of their names, executable bits and contents. */
export interface ContentStore {
  /** Stores a tree. After a crash at any instant, the whole tree is there or nothing of it. */
  add(files: TreeFiles, options: AddOptions): Promise<StoredTree>;
  has(digest: string): boolean;
  /** The folder of a tree, whether it exists or not. */
  path(digest: string): string;
  /** Throws an `integrity` error that names both digests if the tree was changed. */
  verify(digest: string): Promise<StoredTree>;
  remove(digest: string): Promise<void>;
  /** The digests of all trees. */
  list(): Promise<readonly string[]>;
  /** Removes all other trees, and what a killed process left behind. Returns the digests of the removed trees. */
  sweep(keep: ReadonlySet<string>): Promise<readonly string[]>;
  /** A private folder for downloads on the same file system. Removed by `close`, or by `sweep` after a crash. */
  openStaging(): Promise<StagingFolder>;
}

export interface ContentStoreOptions {
  /** Must be reachable for the user of sandboxed processes; only the host writes to it. */
  readonly folder: string;
  /** A short unique name. */
  readonly newName: () => string;
  /** Gets the hashes of stored and verified files. */
  readonly hashes?: KnownHashes | undefined;
}

const digestPattern = /^[0-9a-f]{64}$/;

export function contentStore({ folder, newName, hashes }: ContentStoreOptions): ContentStore {
  const trees = join(folder, 'trees');
  const staging = join(folder, 'staging');
  const pool = filePool(join(folder, 'files'));
  const flushes = new SharedFlush();
  const pathOf = (digest: string) => {
    if (!digestPattern.test(digest)) throw new Error(`${digest} is not the digest of a tree`);
    return join(trees, digest);
  };
  const openStaging = () => openStagingFolder(staging, newName());

  const makeFolders = () => {
    makeFolderWithMode(folder, 0o711);
    makeFolderWithMode(trees, 0o711);
    pool.open();
  };

  const remember = (root: string, files: readonly DigestedFile[]) => {
    for (const it of files) hashes?.remember(join(root, it.path), it.sha256);
  };

  const verify = async (digest: string): Promise<StoredTree> => {
    const path = pathOf(digest);
    if (!existsSync(path)) throw new HostError('not_found', `the store has no tree ${digest}`);
    const files = await readTree(path);
    const found = treeDigest(files);
    if (found === digest) return stored(digest, path, files, false);
    throw new HostError(
      'integrity',
      `the files in ${path} were changed: expected ${digest}, found ${found}`,
      {
        hint: 'install the package again',
      },
    );
  };

  const remove = async (digest: string): Promise<void> => {
    const path = pathOf(digest);
    if (!existsSync(path)) return;
    // Moved away first: a crash while it is deleted must not leave half of a tree under its name.
    const place = await openStaging();
    try {
      chmodSync(path, 0o755);
      renameSync(path, join(place.folder, 'removed'));
    } finally {
      await place.close();
    }
  };

  /** The place is free after this, unless a whole tree is there. */
  const removeIfDamaged = async (digest: string): Promise<boolean> => {
    if (!existsSync(pathOf(digest))) return false;
    const whole = await verify(digest).then(
      () => true,
      () => false,
    );
    if (!whole) await remove(digest);
    return whole;
  };

  const add = async (files: TreeFiles, { signal, withoutTopFolder = false }: AddOptions) => {
    makeFolders();
    const place = await openStaging();
    const root = place.folder;
    const writer = new TreeWriter({ root, pool, flushes });
    try {
      const written = await writer.write(files, signal);
      if (written.length === 0)
        throw new HostError('invalid_archive', 'the source has no files', {
          hint: 'check that it is the right one',
        });
      const top = withoutTopFolder ? topFolder(written) : '';
      const tree = written.map((it) => ({ ...it, path: it.path.slice(top.length) }));
      const finished = join(root, top);
      const digest = treeDigest(tree);
      const created = !(await removeIfDamaged(digest));
      if (created) {
        await writer.seal(finished, tree);
        if (signal.aborted) throw new HostError('canceled', 'storing the files was canceled');
        // After this step, the tree exists.
        await moveTree(pathOf(digest), finished, (it) => flushes.flushFolder(it));
        await pool.add(pathOf(digest), tree);
        // After the last change of the files.
        remember(pathOf(digest), tree);
      }
      return stored(digest, pathOf(digest), tree, created);
    } catch (error) {
      throw storageFailure(error, folder);
    } finally {
      await writer.close();
      await place.close();
    }
  };

  const list = async () =>
    (await readdir(trees).catch(() => [])).filter((it) => digestPattern.test(it)).sort();

  return {
    add,
    has: (digest) => existsSync(pathOf(digest)),
    path: pathOf,
    verify,
    async remove(digest) {
      await remove(digest);
      await pool.prune();
    },
    list,
    async sweep(keep) {
      const removed = (await list()).filter((it) => !keep.has(it));
      for (const it of removed) await remove(it);
      await removeAbandonedStaging(staging);
      await pool.prune();
      return removed;
    },
    openStaging,
  };
}

/** Folders whose names mean something to formats. They stay, even if nothing is beside them. */
const meaningful = /^(?:\.|skills\/)/;

/** `name/` if all files are below this folder; empty if they are not. */
function topFolder(files: readonly DigestedFile[]): string {
  const top = /^[^/]+\//.exec(files[0]?.path ?? '')?.[0] ?? '';
  return top !== '' && !meaningful.test(top) && files.every((it) => it.path.startsWith(top)) ? top : '';
}

function stored(
  digest: string,
  folder: string,
  files: readonly DigestedFile[],
  created: boolean,
): StoredTree {
  const bytes = files.reduce((sum, it) => sum + it.bytes, 0);
  return { digest, folder, bytes, files: files.length, created };
}
