import { randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { HostError } from '../model/host-error.js';

/** Reads a file that only its owner may read. Undefined if it does not exist. Throws if others could read or replace it. */
export function readPrivateFile(path: string): string | undefined {
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw unusable(path, 'cannot be read', error);
  }
  try {
    const stat = fstatSync(file);
    if (!stat.isFile()) throw unusable(path, 'is not a regular file');
    if (stat.uid !== process.getuid?.()) throw unusable(path, 'belongs to another user');
    if ((stat.mode & 0o077) !== 0) throw unusable(path, 'can be read by others');
    return readFileSync(file, 'utf8');
  } finally {
    closeSync(file);
  }
}

/** Creates a file atomically. Never overwrites an existing file. */
export function createPrivateFile(path: string, text: string): void {
  const draft = `${path}.${randomBytes(8).toString('hex')}`;
  try {
    const file = openSync(draft, 'wx', 0o600);
    try {
      writeSync(file, text);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    try {
      linkSync(draft, path);
    } finally {
      unlinkSync(draft);
    }
    syncFolder(dirname(path));
  } catch (error) {
    throw unusable(path, 'cannot be created', error);
  }
}

export function syncFolder(folder: string): void {
  const file = openSync(folder, constants.O_RDONLY);
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

function unusable(path: string, problem: string, cause?: unknown): HostError {
  return new HostError('state_unusable', `${path} ${problem}`, {
    cause,
    hint: 'it must be a regular file that you own, with mode 0600, in a folder that you can write to',
  });
}
