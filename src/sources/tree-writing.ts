import * as fs from 'node:fs';
import { closeSync, constants, fchmodSync, fchownSync, openSync, writeFileSync } from 'node:fs';
import { chmod, lchown, mkdir } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { promisify } from 'node:util';
import { flush } from '../environment/file-tree.js';
import { sha256 } from '../files/sha256.js';
import { HostError } from '../model/host-error.js';
import type { FilePool } from './file-pool.js';
import type { DigestedFile } from './tree-digest.js';
import type { TreeFile, TreeFiles } from './tree-file.js';

/** How much is written at once. Files are in memory until they are written. */
const maxWrites = 16;
const maxPendingBytes = 16 * 1024 * 1024;
/** Up to this size, writing takes less time than handing it to another thread. Waiting for the disk is always left to one. */
const maxSyncBytes = 256 * 1024;

const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
const [writeFile, fsync] = [promisify(fs.writeFile), promisify(fs.fsync)];

interface WriteOptions {
  /** A folder that only the host can reach. */
  readonly root: string;
  readonly pool: FilePool;
  readonly signal: AbortSignal;
}

/** Writes the files of a tree, each read-only and flushed to disk. `sealFolders` must follow. */
export async function writeFiles(
  files: TreeFiles,
  { root, pool, signal }: WriteOptions,
): Promise<readonly DigestedFile[]> {
  const written: DigestedFile[] = [];
  const made = new Set<string>();
  let pending: Promise<void>[] = [];
  let pendingBytes = 0;
  try {
    for await (const it of files) {
      if (signal.aborted) throw new HostError('canceled', 'storing the files was canceled');
      const { path, executable, bytes } = it;
      const file: DigestedFile = { path, executable, bytes: bytes.length, sha256: sha256(bytes) };
      const target = join(root, path);
      const parent = dirname(target);
      if (!made.has(parent)) {
        await mkdir(parent, { recursive: true });
        made.add(parent);
      }
      written.push(file);
      pending.push(writeUnlessKnown(it, file, target, pool));
      pendingBytes += bytes.length;
      if (pending.length < maxWrites && pendingBytes < maxPendingBytes) continue;
      await Promise.all(pending);
      pending = [];
      pendingBytes = 0;
    }
    await Promise.all(pending);
  } finally {
    // The folder is removed after an error, so nothing may still write to it.
    await Promise.allSettled(pending);
  }
  return written;
}

/**
 * Makes the folders of a written tree read-only and flushes them, the innermost first. The top folder stays writable,
 * because a read-only folder cannot be moved.
 */
export async function sealFolders(root: string, files: readonly DigestedFile[]): Promise<void> {
  // Relative to the root, so that no folder above it is ever touched.
  const folders = new Set<string>(['.']);
  for (const { path } of files)
    for (let it = dirname(path); !folders.has(it); it = dirname(it)) folders.add(it);
  const depth = (path: string) => (path === '.' ? 0 : path.split(sep).length);
  for (const it of [...folders].sort((a, b) => depth(b) - depth(a))) {
    const folder = join(root, it);
    if (isRoot()) await lchown(folder, 0, 0);
    await chmod(folder, it === '.' ? 0o755 : 0o555);
    await flush(folder);
  }
}

async function writeUnlessKnown(
  { bytes, executable }: TreeFile,
  file: DigestedFile,
  target: string,
  pool: FilePool,
): Promise<void> {
  // Files of the pool belong to a finished tree, so they are on disk.
  if (await pool.copy(file, bytes, target)) return;
  const descriptor = openSync(target, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  try {
    if (bytes.length <= maxSyncBytes) writeFileSync(descriptor, bytes);
    else await writeFile(descriptor, bytes);
    if (isRoot()) fchownSync(descriptor, 0, 0);
    fchmodSync(descriptor, executable ? 0o555 : 0o444);
    await fsync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function isRoot(): boolean {
  return process.getuid?.() === 0;
}
