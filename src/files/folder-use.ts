import type { Dirent } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';

export interface FolderUse {
  /** The entries of the folder with their bytes on disk, the largest first. */
  readonly parts: readonly { readonly name: string; readonly bytes: number }[];
  /** False if not everything was counted. */
  readonly complete: boolean;
}

/** Counts the bytes that a folder takes, for each of its entries. Links are not followed; what vanishes meanwhile counts nothing. */
export async function folderUse(path: string, maxEntries: number): Promise<FolderUse> {
  let left = maxEntries;
  const bytesOf = async (at: string): Promise<number> => {
    if (left-- <= 0) return 0;
    const found = await lstat(at).catch(() => undefined);
    if (found === undefined) return 0;
    // Blocks have 512 bytes. A sparse file takes less than its length.
    let bytes = found.blocks * 512;
    if (found.isDirectory())
      for (const { name } of await entriesOf(at)) bytes += await bytesOf(join(at, name));
    return bytes;
  };
  const parts: { name: string; bytes: number }[] = [];
  for (const { name } of await entriesOf(path)) parts.push({ name, bytes: await bytesOf(join(path, name)) });
  return { parts: parts.sort((a, b) => b.bytes - a.bytes), complete: left >= 0 };
}

function entriesOf(path: string): Promise<readonly Dirent[]> {
  return readdir(path, { withFileTypes: true }).catch(() => []);
}
