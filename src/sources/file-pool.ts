import { existsSync, linkSync, lstatSync } from 'node:fs';
import { link, readdir, readFile, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolderWithMode } from '../environment/file-tree.js';
import type { DigestedFile } from './tree-digest.js';

/** Hard links to the files of all trees, so that equal files of several trees use the disk once. */
export interface FilePool {
  open(): void;
  /** Whether the pool has a file that may be linked. It may be damaged. */
  has(file: DigestedFile): boolean;
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
    has: (file) => file.bytes >= minBytes && existsSync(placeOf(file)),
    async copy(file, bytes, target) {
      const place = placeOf(file);
      const known = await readFile(place).catch(() => undefined);
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
      for (const [index, it] of files.entries()) {
        if (it.bytes >= minBytes) linkUnlessThere(join(root, it.path), placeOf(it));
        // Lets other work of the host run in between.
        if (index % 500 === 499) await new Promise((resolve) => setImmediate(resolve));
      }
    },
    async prune() {
      for (const [index, name] of (await readdir(folder).catch(() => [])).entries()) {
        const path = join(folder, name);
        // Every change looks at all files of the pool. An asynchronous look at one takes many times as long.
        if (lstatSync(path, { throwIfNoEntry: false })?.nlink === 1) await unlink(path).catch(() => {});
        // Lets other work of the host run in between.
        if (index % 500 === 499) await new Promise((resolve) => setImmediate(resolve));
      }
    },
  };
}

/** The pool only saves space: a link that cannot be made, also for another reason, is left out. */
function linkUnlessThere(file: string, place: string): void {
  if (existsSync(place)) return;
  try {
    linkSync(file, place);
  } catch {
    // Too many links, or another process was faster.
  }
}
