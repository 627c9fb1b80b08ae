import { randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  fsyncSync,
  linkSync,
  openSync,
  renameSync,
  rmSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

export interface AtomicWrite {
  /** Permissions of the new file, before the umask. */
  readonly mode: number;
  /** What is certainly on disk when the call returns: nothing, the content, or also the entry in the folder. */
  readonly flush: 'none' | 'file' | 'folder';
  /** Called with the open file before it gets its name, such as to set its owner. */
  readonly prepare?: (file: number) => void;
}

/**
 * Replaces a file, or creates it. A reader of the path gets the old or the new content, never a part, also after a
 * crash. A link at the path is replaced, not followed.
 */
export function replaceFile(path: string, content: string | Uint8Array, options: AtomicWrite): void {
  withDraft(path, content, options, (draft) => renameSync(draft, path));
}

/** Creates a file with its whole content. False if something has this name already; that is not changed. */
export function createFile(path: string, content: string | Uint8Array, options: AtomicWrite): boolean {
  return withDraft(path, content, options, (draft) => {
    try {
      // Unlike a rename, a link never replaces anything.
      linkSync(draft, path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      return false;
    } finally {
      unlinkSync(draft);
    }
    return true;
  });
}

/** Like `replaceFile` with `flush: 'folder'`, for a file of mode 0600. The host goes on while the disk is busy. */
export async function replaceFileLater(path: string, content: string): Promise<void> {
  const draft = draftFor(path);
  try {
    const file = await open(draft, 'wx', 0o600);
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
  const folder = await open(dirname(path), constants.O_RDONLY);
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** Puts the entries of a folder on disk, such as the name of a new file. */
export function flushFolder(folder: string): void {
  const file = openSync(folder, constants.O_RDONLY);
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

function withDraft<T>(
  path: string,
  content: string | Uint8Array,
  { mode, flush, prepare }: AtomicWrite,
  place: (draft: string) => T,
): T {
  const draft = draftFor(path);
  let placed: T;
  try {
    const file = openSync(draft, 'wx', mode);
    try {
      writeFileSync(file, content);
      prepare?.(file);
      if (flush !== 'none') fsyncSync(file);
    } finally {
      closeSync(file);
    }
    placed = place(draft);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
  if (flush === 'folder') flushFolder(dirname(path));
  return placed;
}

/** In the same folder, because a rename works only inside one file system. Nobody can guess the name. */
function draftFor(path: string): string {
  return `${path}.toolwharf-${randomBytes(8).toString('hex')}`;
}
