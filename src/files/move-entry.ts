import {
  closeSync,
  constants,
  lstatSync,
  openSync,
  readdirSync,
  renameSync,
  rmdirSync,
  unlinkSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { withAnchoredEntry } from './anchored-entry.js';
import { isWithin } from './path-containment.js';

/**
 * Moves a file, folder or link out of `root`, which other programs may be changing. Links are moved, never followed.
 * Returns where it is now: at `target`, or beside its old place under the name `fallback`, if it cannot be moved to
 * `target`, for example because that is on another file system. Null if it no longer exists.
 */
export function moveEntryOut(root: string, path: string, target: string, fallback: string): string | null {
  return withAnchoredEntry(root, path, (entry) => {
    for (const [to, result] of [
      [target, target],
      [join(dirname(entry), fallback), join(dirname(path), fallback)],
    ] as const) {
      try {
        renameSync(entry, to);
        return result;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
        if (to !== target) throw error;
      }
    }
    return null;
  });
}

/** Puts an entry back below `root`. Throws EEXIST if something is there now. */
export function moveEntryBack(stored: string, root: string, path: string): void {
  withAnchoredEntry(root, path, (entry) => {
    if (lstatSync(entry, { throwIfNoEntry: false }) !== undefined)
      throw Object.assign(new Error(`${path} exists`), { code: 'EEXIST' });
    if (isWithin(stored, root)) withAnchoredEntry(root, stored, (from) => renameSync(from, entry));
    else renameSync(stored, entry);
  });
}

/**
 * Deletes a file, folder or link below `root`. A program that replaces a folder by a link at the same time cannot lead
 * it elsewhere, because every folder is opened without following links.
 */
export function removeStoredEntry(root: string, path: string): void {
  withAnchoredEntry(root, path, removeTree);
}

function removeTree(entry: string): void {
  const found = lstatSync(entry, { throwIfNoEntry: false });
  if (found === undefined) return;
  if (!found.isDirectory()) {
    unlinkSync(entry);
    return;
  }
  const handle = openSync(entry, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  try {
    const own = `/proc/self/fd/${handle}`;
    for (const name of readdirSync(own)) removeTree(join(own, name));
  } finally {
    closeSync(handle);
  }
  rmdirSync(entry);
}
