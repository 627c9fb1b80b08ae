import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { chmod, lchown, lstat, mkdir, open, readdir, readlink, rename, rm } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { HostError } from '../model/host-error.js';

/** What one installation may hold; real ones stay far below. */
const mostEntries = 200_000;

/** The bytes of a regular file that somebody else may have written; links are not followed. */
export async function readForeign(path: string, limit: number): Promise<Buffer> {
  const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
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
  const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  if (!(await handle.stat()).isFile()) {
    await handle.close();
    throw new HostError('integrity', `${path} is not a regular file`);
  }
  const hash = createHash('sha256');
  for await (const chunk of handle.createReadStream()) hash.update(chunk as Buffer);
  return hash.digest('hex');
}

/** Bytes and entries below a folder that may be changing meanwhile. */
export async function measure(folder: string): Promise<{ bytes: number; entries: number }> {
  let bytes = 0;
  let entries = 0;
  const pending = [folder];
  for (let next = pending.pop(); next !== undefined && entries <= mostEntries; next = pending.pop()) {
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
 * Makes a finished tree read-only, its files on the disk and owned by the host. Runs after every process that could
 * write to it has ended. Links may lead around inside the tree and nowhere else. The top folder itself stays writable: a
 * folder that is not cannot be moved.
 */
export async function seal(folder: string): Promise<void> {
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
        `an installed package holds ${relative(folder, path)}, which is neither a file nor a link to one of its files`,
      );
    }
  };
  await visit(folder);
}

/** Puts a sealed tree in its place. False when another one was faster; they are the same. */
export async function moveInto(place: string, folder: string): Promise<boolean> {
  try {
    await rename(folder, place);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOTEMPTY' || code === 'EEXIST') return false;
    throw error;
  }
  await chmod(place, 0o555);
  await flush(dirname(place));
  return true;
}

/** A small file that is there completely or not at all. */
export async function writeWhole(path: string, text: string, spare: string): Promise<void> {
  const handle = await open(spare, 'wx', 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(spare, path);
  await flush(dirname(path));
}

/** Removes a tree, read-only or not. */
export async function removeTree(folder: string): Promise<void> {
  const open = async (path: string): Promise<void> => {
    await chmod(path, 0o700);
    for (const it of await readdir(path, { withFileTypes: true }))
      if (it.isDirectory()) await open(join(path, it.name));
  };
  const stats = await lstat(folder).catch(() => undefined);
  if (stats?.isDirectory() && process.getuid?.() !== 0) await open(folder);
  await rm(folder, { recursive: true, force: true });
}

/** A folder with exactly this mode, whatever the umask. */
export async function makeFolder(path: string, mode: number): Promise<void> {
  await mkdir(path, { recursive: true });
  await chmod(path, mode);
}

function leadsOut(folder: string, path: string, target: string): boolean {
  const way = relative(folder, resolve(dirname(path), target));
  return isAbsolute(target) || way === '..' || way.startsWith(`..${sep}`);
}

async function flush(path: string): Promise<void> {
  const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
