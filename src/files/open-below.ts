import { type FileHandle, open, realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { untrustedReadFlags } from './read-flags.js';

/**
 * Opens a file below a folder for reading. The folder may be reached over links, but none inside of it is followed (ELOOP):
 * neither the file nor a folder on the way to it.
 */
export async function openBelow(folder: string, path: string): Promise<FileHandle> {
  await assertNoLinks(folder, dirname(path));
  return open(join(folder, path), untrustedReadFlags);
}

/** Throws (ELOOP) if one of the folders that lead to `path` below `folder` is a link. */
export async function assertNoLinks(folder: string, path: string): Promise<void> {
  const target = join(folder, path);
  if ((await realpath(target)) === join(await realpath(folder), path)) return;
  throw Object.assign(new Error(`a link leads to ${target}`), { code: 'ELOOP' });
}
