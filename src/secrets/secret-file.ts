import { randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsyncSync,
  linkSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { HostError } from '../model/host-error.js';

/** Reads a file that only its owner may read. Undefined when it does not exist; throws for unsafe modes or owners. */
export function readSecretFile(path: string, sizes: { min: number; max: number }): Buffer | undefined {
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new HostError('state_unusable', `${path} cannot be read`, {
      cause: error,
      hint: 'it must be a regular file of yours with mode 0600',
    });
  }
  try {
    const stat = fstatSync(file);
    const reject = (problem: string, hint: string): never => {
      throw new HostError('state_unusable', `${path} ${problem}`, { hint });
    };
    if (!stat.isFile()) reject('is not a regular file', 'remove it if you did not create it');
    if (stat.uid !== process.getuid?.()) reject('belongs to another user', 'check who created it');
    if ((stat.mode & 0o177) !== 0)
      reject('can be read by others', `if nobody else had it, run: chmod 600 ${path}`);
    const damaged = () => reject('is damaged: it has the wrong size', 'restore it from a backup');
    if (stat.size < sizes.min || stat.size > sizes.max) damaged();
    const bytes = Buffer.alloc(stat.size);
    if (readSync(file, bytes, 0, stat.size, 0) !== stat.size) damaged();
    return bytes;
  } finally {
    closeSync(file);
  }
}

/** Creates the file atomically. If it already exists, the existing file stays. */
export function createSecretFile(path: string, bytes: Buffer): void {
  writeDraft(path, bytes, (draft) => {
    try {
      linkSync(draft, path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    } finally {
      unlinkSync(draft);
    }
  });
}

/** Replaces the file atomically: after a crash it is the old or the new one. */
export function replaceSecretFile(path: string, bytes: Buffer): void {
  writeDraft(path, bytes, (draft) => renameSync(draft, path));
}

export function removeSecretFile(path: string): void {
  rmSync(path, { force: true });
  syncFolder(path);
}

function writeDraft(path: string, bytes: Buffer, place: (draft: string) => void): void {
  const draft = `${path}.${randomBytes(8).toString('hex')}`;
  try {
    const file = openSync(draft, 'wx', 0o600);
    try {
      fchmodSync(file, 0o600);
      writeSync(file, bytes);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    place(draft);
    syncFolder(path);
  } catch (error) {
    throw new HostError('state_unusable', `${path} cannot be written`, {
      cause: error,
      hint: 'check that you own the state directory and can write to it',
    });
  }
}

function syncFolder(path: string): void {
  const folder = openSync(join(path, '..'), constants.O_RDONLY);
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
