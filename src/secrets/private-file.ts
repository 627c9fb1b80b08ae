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

/** The bytes of a file that is nobody else's business. Undefined when there is none; anything doubtful is refused. */
export function readPrivate(path: string, sizes: { least: number; most: number }): Buffer | undefined {
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
    const refuse = (what: string, hint: string): never => {
      throw new HostError('state_unusable', `${path} ${what}`, { hint });
    };
    if (!stat.isFile()) refuse('is not a regular file', 'remove it if it is not yours');
    if (stat.uid !== process.getuid?.()) refuse('belongs to another user', 'check who put it there');
    if ((stat.mode & 0o177) !== 0)
      refuse('can be read by others', `if nobody else had it, run: chmod 600 ${path}`);
    const damaged = () => refuse('was damaged: it has the wrong size', 'put the right one back');
    if (stat.size < sizes.least || stat.size > sizes.most) damaged();
    const bytes = Buffer.alloc(stat.size);
    if (readSync(file, bytes, 0, stat.size, 0) !== stat.size) damaged();
    return bytes;
  } finally {
    closeSync(file);
  }
}

/** The file appears whole or not at all, and never in place of another: then the other one stays. */
export function makePrivate(path: string, bytes: Buffer): void {
  written(path, bytes, (draft) => {
    try {
      linkSync(draft, path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    } finally {
      unlinkSync(draft);
    }
  });
}

/** The old file or the new one, whoever is killed when. */
export function replacePrivate(path: string, bytes: Buffer): void {
  written(path, bytes, (draft) => renameSync(draft, path));
}

export function removePrivate(path: string): void {
  rmSync(path, { force: true });
  syncFolder(path);
}

function written(path: string, bytes: Buffer, place: (draft: string) => void): void {
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
    throw new HostError('state_unusable', `${path} cannot be made`, {
      cause: error,
      hint: 'check that the state directory is yours and writable',
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
