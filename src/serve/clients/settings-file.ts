// A client's configuration file on disk: replaced atomically, with a backup next to it.

import {
  accessSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  type Stats,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { replaceFile } from '../../files/atomic-file.js';
import { sha256 } from '../../files/sha256.js';
import { HostError } from '../../model/host-error.js';

const maxBytes = 64 * 1024 * 1024;

export interface SettingsFile {
  /** Path before links are resolved. */
  readonly path: string;
  /** Path after links are resolved. */
  readonly real: string;
  /** Undefined if the file does not exist. */
  readonly text: string | undefined;
}

export interface Backup {
  readonly path: string;
  readonly text: string;
  /** Whether the file is unchanged since Toolwharf wrote it. */
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
    if (stats.size > maxBytes) throw unusable(path, 'it has more than 64 MiB', 'check its content');
    bytes = readFileSync(real);
  } catch (error) {
    if (error instanceof HostError) throw error;
    const missing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    const why = missing ? 'it is a broken link' : reasonOf(error);
    throw unusable(path, why, missing ? 'fix or remove the link' : 'check its permissions', error);
  }
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    return { path, real, text };
  } catch (error) {
    throw unusable(path, 'it is not UTF-8', 'save it as UTF-8', error);
  }
}

/** Checked before asking: a write-protected file is not changed. */
export function checkWritable(file: SettingsFile): void {
  if (file.text === undefined) return;
  const hint = `allow writing: chmod u+w ${file.real}`;
  if ((statSync(file.real).mode & 0o200) === 0) throw unusable(file.path, 'it is read-only', hint);
  try {
    accessSync(file.real, constants.W_OK);
    accessSync(dirname(file.real), constants.W_OK);
  } catch (error) {
    throw unusable(
      file.path,
      'you have no write permission',
      'check the owner of the file and its folder',
      error,
    );
  }
}

/** Mode of a new file: readable by the user only, or like other project files. */
export type Privacy = 'private' | 'shared';

/** Replaces the file if it has not changed since it was read. Returns the path of the backup. */
export function writeSettingsFile(file: SettingsFile, text: string, privacy: Privacy): string | undefined {
  const backup = file.text === undefined ? undefined : nextBackup(file, text);
  replaceSettings(file, text, privacy, () => {
    if (backup === undefined) return undefined;
    writeFileSync(backup, file.text as string, { flag: 'wx', mode: statSync(file.real).mode & 0o777 });
    return () => unlinkSync(backup);
  });
  return backup;
}

/** Restores a backup and deletes it, so that the next restore uses the one before. */
export function restoreSettingsFile(file: SettingsFile, backup: Backup): void {
  replaceSettings(file, backup.text, 'private', () => undefined);
  unlinkSync(backup.path);
}

export function lastBackup(file: SettingsFile): Backup | undefined {
  const [last] = backupsOf(file);
  if (last === undefined) return undefined;
  const path = join(dirname(file.real), last.name);
  const { text } = readSettingsFile(path);
  return { path, text: text ?? '', current: last.digest === digestOf(file.text ?? '') };
}

export function replaceSettings(
  file: SettingsFile,
  text: string,
  privacy: Privacy,
  prepare: () => (() => void) | undefined,
): void {
  const { path, real } = file;
  let undo: (() => void) | undefined;
  try {
    mkdirSync(dirname(real), { recursive: true });
    if (readSettingsFile(path).text !== file.text)
      throw new HostError('integrity', `${path} changed since it was read; nothing was written`, {
        hint: 'run this again; if the client keeps writing the file, close it first',
      });
    const before = file.text === undefined ? undefined : statSync(real);
    undo = prepare();
    const mode = before === undefined && privacy === 'shared' ? 0o666 : 0o600;
    replaceFile(real, text, {
      mode,
      flush: 'file',
      ...(before === undefined ? {} : { prepare: (file) => copyOwnership(file, before) }),
    });
  } catch (error) {
    undo?.();
    if (error instanceof HostError) throw error;
    throw unusable(path, reasonOf(error), 'check the owner of the file and its folder', error);
  }
}

/** The new file gets the owner and the permissions of the old one. */
function copyOwnership(descriptor: number, before: Stats): void {
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

/** The name contains a digest of the new text, to detect later changes before a restore. */
function nextBackup(file: SettingsFile, text: string): string {
  const number = (backupsOf(file)[0]?.number ?? 0) + 1;
  return `${file.real}.toolwharf-backup-${number}-${digestOf(text)}`;
}

function digestOf(text: string): string {
  return sha256(text).slice(0, 12);
}

function reasonOf(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'EACCES' || code === 'EPERM') return 'permission denied';
  if (code === 'EROFS') return 'the disk is read-only';
  return `system error ${code ?? 'unknown'}`;
}

function unusable(path: string, why: string, hint: string, cause?: unknown): HostError {
  return new HostError('invalid_config', `${path} cannot be changed: ${why}`, { hint, cause });
}
