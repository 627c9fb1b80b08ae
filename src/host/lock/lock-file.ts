import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { replaceFile } from '../../files/atomic-file.js';
import { HostError } from '../../model/host-error.js';
import { excessText, JsonExcessError, parseBounded } from '../../model/json-bounds.js';
import { type LockedPackage, type LockFile, lockFileName, lockFileText } from '../../model/lock-file.js';
import { lockFileShape } from './lock-file-shape.js';

const limits = { bytes: 16 * 1024 * 1024, depth: 32, values: 500_000 };
const hint = 'restore it from the history of the project, or write it again: toolwharf install SOURCE --save';

export function lockFilePath(root: string): string {
  return join(root, lockFileName);
}

/** The lock file of a project; undefined if it has none. Everything that is not exactly right is rejected. */
export async function readLockFile(root: string): Promise<LockFile | undefined> {
  const path = lockFilePath(root);
  const text = await readText(path);
  if (text === undefined) return undefined;
  let value: unknown;
  try {
    value = parseBounded(text, limits);
  } catch (error) {
    const why = error instanceof JsonExcessError ? excessText(error.excess) : 'is not JSON';
    throw invalid(path, why);
  }
  const problem = lockFileShape.problem(value, '');
  if (problem !== undefined) throw invalid(path, `is not valid: ${problem}`);
  const { packages } = value as LockFile;
  const twice = packages.find((it, index) => packages.findIndex(({ id }) => id === it.id) !== index);
  if (twice !== undefined) throw invalid(path, `has ${JSON.stringify(twice.id)} twice`);
  return { packages };
}

/** Adds or replaces one entry, or removes it. The other entries stay as they are. */
export async function writeLockEntry(
  root: string,
  id: string,
  entry: LockedPackage | undefined,
): Promise<void> {
  const { packages } = (await readLockFile(root)) ?? { packages: [] };
  const others = packages.filter((it) => it.id !== id);
  const text = lockFileText({ packages: entry === undefined ? others : [...others, entry] });
  try {
    replaceFile(lockFilePath(root), text, { mode: 0o666, flush: 'file' });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new HostError('state_unusable', `${lockFilePath(root)} cannot be written: ${code}`, {
      cause: error,
      hint: 'check the permissions of the folder and the space on the disk',
    });
  }
}

/** A link, a pipe or a device in a project is not followed and not waited for. */
async function readText(path: string): Promise<string | undefined> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  let file: FileHandle | undefined;
  try {
    file = await open(path, flags);
    const stats = await file.stat();
    if (!stats.isFile()) throw invalid(path, 'is not a file');
    if (stats.size > limits.bytes) throw invalid(path, excessText({ limit: 'bytes', max: limits.bytes }));
    return await file.readFile('utf8');
  } catch (error) {
    if (error instanceof HostError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    throw invalid(path, code === 'ELOOP' ? 'is a link' : `cannot be read: ${code}`);
  } finally {
    await file?.close();
  }
}

function invalid(path: string, why: string): HostError {
  return new HostError('invalid_config', `${path} ${why}`, { hint });
}
