import { existsSync } from 'node:fs';
import { link, lstat, readdir, readFile, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolderWithMode } from '../environment/file-tree.js';
import type { DigestedFile } from './tree-digest.js';

/** Hard links to the files of all trees, so that equal files of several trees use the disk once. */
export interface FilePool {
  open(): Promise<void>;
  /** Links a file that the pool has to `target`. False if it has none, or a damaged one. */
  copy(file: DigestedFile, bytes: Uint8Array, target: string): Promise<boolean>;
  /** Links the files of a finished tree into the pool. */
  add(root: string, files: readonly DigestedFile[]): Promise<void>;
  /** Removes files that no tree uses. */
  prune(): Promise<void>;
}

/** Smaller files do not pay for their entry in the pool. */
const minBytes = 4096;

export function filePool(folder: string): FilePool {
  // The permissions belong to the file, not to the link, so they are part of the name.
  const placeOf = (it: DigestedFile) => join(folder, `${it.sha256}${it.executable ? '.x' : ''}`);
  return {
    open: () => makeFolderWithMode(folder, 0o700),
    async copy(file, bytes, target) {
      if (file.bytes < minBytes) return false;
      const place = placeOf(file);
      const known = existsSync(place) ? await readFile(place).catch(() => undefined) : undefined;
      if (known === undefined) return false;
      if (!known.equals(bytes)) {
        await unlink(place).catch(() => {});
        return false;
      }
      // Too many links, or just removed by another process: then the file is written.
      return link(place, target).then(
        () => true,
        () => false,
      );
    },
    async add(root, files) {
      for (const it of files)
        if (it.bytes >= minBytes) await link(join(root, it.path), placeOf(it)).catch(() => {});
    },
    async prune() {
      for (const name of await readdir(folder).catch(() => [])) {
        const path = join(folder, name);
        const stats = await lstat(path).catch(() => undefined);
        if (stats?.nlink === 1) await unlink(path).catch(() => {});
      }
    },
  };
}
