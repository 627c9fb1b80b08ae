// The file of a client on disk: read with care, replaced in one step, kept as it was beside.
import { createHash, randomBytes } from 'node:crypto';
import {
  accessSync,
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  type Stats,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { HostError } from '../../model/host-error.js';

const maxBytes = 64 * 1024 * 1024;

export interface SettingsFile {
  /** As it was asked for. */
  readonly path: string;
  /** Where links lead. */
  readonly real: string;
  readonly text: string | undefined;
}

export interface Backup {
  readonly path: string;
  readonly text: string;
  /** Whether the file is still what Toolwharf made of it then. */
  readonly current: boolean;
}

export function readSettingsFile(path: string): SettingsFile {
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return { path, real: path, text: undefined };
  let real: string;
  let stats: Stats;
  let bytes: Buffer;
  try {
    real = realpathSync(path);
    stats = statSync(real);
    if (!stats.isFile()) throw unusable(path, 'it is not a regular file', 'move it away');
    if (stats.size > maxBytes) throw unusable(path, 'it has more than 64 MiB', 'see what is in it');
    bytes = readFileSync(real);
  } catch (error) {
    if (error instanceof HostError) throw error;
    const missing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    const why = missing ? 'it is a link that leads nowhere' : reasonOf(error);
    throw unusable(path, why, missing ? 'mend or remove the link' : 'see who may read it', error);
  }
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    return { path, real, text };
  } catch (error) {
    throw unusable(path, 'it is not UTF-8', 'save it as UTF-8', error);
  }
}

/** Refused before anybody is asked: a file that its owner protected stays as it is. */
export function checkWritable(file: SettingsFile): void {
  if (file.text === undefined) return;
  const hint = `allow it: chmod u+w ${file.real}`;
  if ((statSync(file.real).mode & 0o200) === 0) throw unusable(file.path, 'it is read-only', hint);
  try {
    accessSync(file.real, constants.W_OK);
    accessSync(dirname(file.real), constants.W_OK);
  } catch (error) {
    throw unusable(file.path, 'you may not write it', 'see who owns it and its folder', error);
  }
}

/** For a person only, or like any file of a project. */
export type Privacy = 'private' | 'shared';

/** Replaces the file if it is still the one that was read. Returns where the old one is kept. */
export function writeSettingsFile(file: SettingsFile, text: string, privacy: Privacy): string | undefined {
  const backup = file.text === undefined ? undefined : nextBackup(file, text);
  replaceFile(file, text, privacy, () => {
    if (backup === undefined) return undefined;
    writeFileSync(backup, file.text as string, { flag: 'wx', mode: statSync(file.real).mode & 0o777 });
    return () => unlinkSync(backup);
  });
  return backup;
}

/** Puts back what a backup holds and drops it, so that the one before is next. */
export function restoreSettingsFile(file: SettingsFile, backup: Backup): void {
  replaceFile(file, backup.text, 'private', () => undefined);
  unlinkSync(backup.path);
}

export function lastBackup(file: SettingsFile): Backup | undefined {
  const [last] = backupsOf(file);
  if (last === undefined) return undefined;
  const path = join(dirname(file.real), last.name);
  const { text } = readSettingsFile(path);
  return { path, text: text ?? '', current: last.digest === digestOf(file.text ?? '') };
}

function replaceFile(
  file: SettingsFile,
  text: string,
  privacy: Privacy,
  prepare: () => (() => void) | undefined,
): void {
  const { path, real } = file;
  let temporary: string | undefined;
  let undo: (() => void) | undefined;
  try {
    mkdirSync(dirname(real), { recursive: true });
    if (readSettingsFile(path).text !== file.text)
      throw new HostError('integrity', `${path} changed since it was read; nothing was written`, {
        hint: 'run this again, and close the client first if it keeps writing',
      });
    const before = file.text === undefined ? undefined : statSync(real);
    undo = prepare();
    const name = `${real}.toolwharf-${randomBytes(6).toString('hex')}`;
    const mode = before === undefined ? (privacy === 'private' ? 0o600 : 0o666) : 0o600;
    const descriptor = openSync(name, 'wx', mode);
    temporary = name;
    try {
      writeFileSync(descriptor, text);
      if (before !== undefined) takeOver(descriptor, before);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    renameSync(name, real);
  } catch (error) {
    if (temporary !== undefined) unlinkSync(temporary);
    undo?.();
    if (error instanceof HostError) throw error;
    throw unusable(path, reasonOf(error), 'see who owns it and its folder', error);
  }
}

/** The new file belongs to whom the old one belonged to and may be used by the same people. */
function takeOver(descriptor: number, before: Stats): void {
  const now = fstatSync(descriptor);
  if (now.uid !== before.uid || now.gid !== before.gid) fchownSync(descriptor, before.uid, before.gid);
  fchmodSync(descriptor, before.mode & 0o7777);
}

function backupsOf(file: SettingsFile): { name: string; number: number; digest: string }[] {
  const start = `${basename(file.real)}.toolwharf-backup-`;
  let names: string[];
  try {
    names = readdirSync(dirname(file.real));
  } catch {
    return [];
  }
  return names
    .flatMap((name) => {
      const match = name.startsWith(start) ? /^(\d+)-([0-9a-f]{12})$/.exec(name.slice(start.length)) : null;
      return match === null ? [] : [{ name, number: Number(match[1]), digest: match[2] as string }];
    })
    .sort((a, b) => b.number - a.number);
}

/** Its name says what the file became, so that putting it back never undoes somebody else's change unseen. */
function nextBackup(file: SettingsFile, text: string): string {
  const number = (backupsOf(file)[0]?.number ?? 0) + 1;
  return `${file.real}.toolwharf-backup-${number}-${digestOf(text)}`;
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 12);
}

function reasonOf(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'EACCES' || code === 'EPERM') return 'permission is missing';
  if (code === 'EROFS') return 'the disk is read-only';
  return `the system says ${code ?? 'nothing more'}`;
}

function unusable(path: string, why: string, hint: string, cause?: unknown): HostError {
  return new HostError('invalid_config', `${path} cannot be changed: ${why}`, { hint, cause });
}
