// Files that only the user of the host may read, such as keys.
import { closeSync, fchmodSync, fstatSync, openSync, readSync, rmSync, type Stats } from 'node:fs';
import { dirname } from 'node:path';
import { HostError } from '../model/host-error.js';
import { shellQuote } from '../model/shell-quote.js';
import { type AtomicWrite, createFile, flushFolder, replaceFile } from './atomic-file.js';
import { untrustedReadFlags } from './read-flags.js';

/** Sizes in bytes that the content may have. Other sizes mean that the file is damaged. */
export interface SizeBounds {
  readonly min: number;
  readonly max: number;
}

const privateMode: AtomicWrite = {
  mode: 0o600,
  flush: 'folder',
  // Exactly this mode, whatever the umask is.
  prepare: (file) => fchmodSync(file, 0o600),
};

/** Undefined if the file does not exist. Throws if somebody else could have read or written it. */
export function readPrivateFile(path: string, sizes: SizeBounds): Buffer | undefined {
  let file: number;
  try {
    file = openSync(path, untrustedReadFlags);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw unusable(path, 'cannot be read', 'it must be a regular file of yours with mode 0600', error);
  }
  try {
    const stats = fstatSync(file);
    assertPrivate(path, stats);
    const { size } = stats;
    const bytes = size < sizes.min || size > sizes.max ? undefined : Buffer.alloc(size);
    if (bytes === undefined || readSync(file, bytes, 0, size, 0) !== size)
      throw unusable(path, 'is damaged: it has the wrong size', 'restore it from a backup');
    return bytes;
  } finally {
    closeSync(file);
  }
}

/** Creates the file, on disk when this returns. False if there is one already; it is not changed. */
export function createPrivateFile(path: string, content: string | Uint8Array): boolean {
  return writing(path, () => createFile(path, content, privateMode));
}

/** Replaces the file: after a crash it is the old or the new one. */
export function replacePrivateFile(path: string, content: string | Uint8Array): void {
  writing(path, () => replaceFile(path, content, privateMode));
}

export function removePrivateFile(path: string): void {
  rmSync(path, { force: true });
  flushFolder(dirname(path));
}

function assertPrivate(path: string, stats: Stats): void {
  if (!stats.isFile()) throw unusable(path, 'is not a regular file', 'remove it if you did not create it');
  if (stats.uid !== process.getuid?.())
    throw unusable(path, 'belongs to another user', 'check who created it');
  if ((stats.mode & 0o077) !== 0)
    throw unusable(
      path,
      'can be read by others',
      `if nobody else had it, run: chmod 600 ${shellQuote(path)}`,
    );
  if ((stats.mode & 0o100) !== 0)
    throw unusable(path, 'is executable', `check its content, then run: chmod 600 ${shellQuote(path)}`);
}

function writing<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw unusable(
      path,
      'cannot be written',
      'check that you own the folder and can write to it, and that the disk is not full',
      error,
    );
  }
}

function unusable(path: string, problem: string, hint: string, cause?: unknown): HostError {
  return new HostError('state_unusable', `${path} ${problem}`, { hint, cause });
}
