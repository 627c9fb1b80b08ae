import { lstat, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { untrustedReadFlags } from '../files/read-flags.js';
import { sha256 } from '../files/sha256.js';
import { HostError } from '../model/host-error.js';
import type { DigestedFile } from './tree-digest.js';

/** The files of a stored tree as they are on disk. Everything that the store does not write is an error. */
export async function readTree(root: string): Promise<readonly DigestedFile[]> {
  const files: DigestedFile[] = [];
  const visit = async (folder: string, prefix: string): Promise<void> => {
    for (const name of await readdir(folder)) {
      const full = join(folder, name);
      const stats = await lstat(full);
      if (stats.isDirectory()) await visit(full, `${prefix}${name}/`);
      else if (stats.isFile()) files.push(await readStoredFile(full, `${prefix}${name}`));
      else throw new HostError('integrity', `${full} is not a file; somebody changed the store`);
    }
  };
  await visit(root, '');
  return files;
}

async function readStoredFile(full: string, path: string): Promise<DigestedFile> {
  const handle = await open(full, untrustedReadFlags);
  try {
    const { mode } = await handle.stat();
    const bytes = await handle.readFile();
    return { path, executable: (mode & 0o111) !== 0, bytes: bytes.length, sha256: sha256(bytes) };
  } finally {
    await handle.close();
  }
}
