import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import {
  chmodSync,
  closeSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  renameSync,
  rmdirSync,
} from 'node:fs';
import { chmod, lchown, lstat, open, readdir, readlink, rm } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { promisify } from 'node:util';
import { isWithin } from '../files/path-containment.js';
import { untrustedReadFlags } from '../files/read-flags.js';
import { HostError } from '../model/host-error.js';

const fsync = promisify(fs.fsync);

/** Maximum number of files and folders of one installation; real ones have far fewer. */
const maxEntries = 200_000;

/** Reads a regular file that another user may have written; does not follow links. */
export async function readUntrustedFile(path: string, limit: number): Promise<Buffer> {
  const handle = await open(path, untrustedReadFlags);
  try {
    const stats = await handle.stat();
    if (!stats.isFile()) throw new HostError('integrity', `${path} is not a regular file`);
    if (stats.size > limit) throw new HostError('integrity', `${path} is larger than ${limit} bytes`);
    return await handle.readFile();
  } finally {
    await handle.close();
  }
}

export async function sha256Of(path: string): Promise<string> {
  const handle = await open(path, untrustedReadFlags);
  if (!(await handle.stat()).isFile()) {
    await handle.close();
    throw new HostError('integrity', `${path} is not a regular file`);
  }
  const hash = createHash('sha256');
  for await (const chunk of handle.createReadStream()) hash.update(chunk as Buffer);
  return hash.digest('hex');
}

/** Total size and number of entries of a folder that may change at the same time. */
export async function measureTree(folder: string): Promise<{ bytes: number; entries: number }> {
  let bytes = 0;
  let entries = 0;
  const pending = [folder];
  for (let next = pending.pop(); next !== undefined && entries <= maxEntries; next = pending.pop()) {
    for (const it of await readdir(next, { withFileTypes: true }).catch(() => [])) {
      const path = join(next, it.name);
      entries += 1;
      if (it.isDirectory()) pending.push(path);
      else bytes += (await lstat(path).catch(() => undefined))?.size ?? 0;
    }
  }
  return { bytes, entries };
}

/**
 * Makes a finished tree read-only, owned by the host and flushed to disk. Call it after every process that could write to
 * it has exited. Rejects links that lead out of the tree. The top folder stays writable, because a read-only folder
 * cannot be moved.
 */
export async function sealTree(folder: string): Promise<void> {
  const owner = process.getuid?.() === 0 ? { uid: 0, gid: 0 } : undefined;
  const own = async (path: string) => (owner === undefined ? undefined : lchown(path, owner.uid, owner.gid));
  const visit = async (path: string): Promise<void> => {
    const stats = await lstat(path);
    await own(path);
    if (stats.isDirectory()) {
      const names = await readdir(path);
      for (let start = 0; start < names.length; start += 16)
        await Promise.all(names.slice(start, start + 16).map((it) => visit(join(path, it))));
      await chmod(path, path === folder ? 0o755 : 0o555);
      await flush(path);
    } else if (stats.isFile()) {
      await chmod(path, (stats.mode & 0o111) === 0 ? 0o444 : 0o555);
      await flush(path);
    } else if (!stats.isSymbolicLink() || leadsOut(folder, path, await readlink(path))) {
      throw new HostError(
        'integrity',
        `an installed package contains ${relative(folder, path)}, which is not a file or a link to one of its files`,
      );
    }
  };
  await visit(folder);
}

/**
 * Moves a sealed tree to its final path. False if another process was faster; both trees are equal. `flushFolder`: waits
 * until the new entry is on disk.
 */
export async function moveTree(
  target: string,
  folder: string,
  flushFolder: (folder: string) => Promise<void> = flush,
): Promise<boolean> {
  try {
    renameSync(folder, target);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOTEMPTY' || code === 'EEXIST') return false;
    throw error;
  }
  chmodSync(target, 0o555);
  await flushFolder(dirname(target));
  return true;
}

/** Removes a tree, even if it is read-only. */
export async function removeTree(folder: string): Promise<void> {
  if (!existsSync(folder) || removeEmptyFolder(folder)) return;
  const open = async (path: string): Promise<void> => {
    await chmod(path, 0o700);
    for (const it of await readdir(path, { withFileTypes: true }))
      if (it.isDirectory()) await open(join(path, it.name));
  };
  const stats = await lstat(folder).catch(() => undefined);
  if (stats?.isDirectory() && process.getuid?.() !== 0) await open(folder);
  await rm(folder, { recursive: true, force: true });
}

/** Most staging folders are empty when they are removed. */
function removeEmptyFolder(folder: string): boolean {
  try {
    rmdirSync(folder);
    return true;
  } catch {
    return false;
  }
}

/** Creates a folder with exactly this mode, independent of the umask. */
export function makeFolderWithMode(path: string, mode: number): void {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  // Setting the same mode again would change the folder, and the file system would write it.
  if (stats?.isDirectory() === true && (stats.mode & 0o7777) === mode) return;
  mkdirSync(path, { recursive: true });
  chmodSync(path, mode);
}

function leadsOut(folder: string, path: string, target: string): boolean {
  return isAbsolute(target) || !isWithin(resolve(dirname(path), target), folder);
}

/** Waits until a file or folder is on disk. */
export async function flush(path: string): Promise<void> {
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    await fsync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
