import { chmodSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readPrivateFile, removePrivateFile, replacePrivateFile } from '../../files/private-file.js';
import { sha256 } from '../../files/sha256.js';
import { HostError } from '../../model/host-error.js';

/** The option by which the entry of a client names the file with its key. The key itself is in no argument. */
export const clientKeyOption = 'client-key-file';

const sizes = { min: 1, max: 256 };

/**
 * The file with the key of one entry in a client's configuration. In the state directory, because configuration files
 * are shared with a project, readable by others or by tools in the workspace, and copied to backups.
 */
export function clientKeyPath(state: string, settingsFile: string, entryName: string): string {
  return join(state, 'clients', `${sha256(`${settingsFile}\0${entryName}`).slice(0, 16)}.key`);
}

/** Undefined if there is no such file. */
export function readClientKey(path: string): string | undefined {
  return readPrivateFile(path, sizes)?.toString('utf8').trimEnd();
}

/** Undefined: removes the file. */
export function writeClientKey(path: string, key: string | undefined): void {
  if (key === undefined) {
    if (readPrivateFile(path, sizes) !== undefined) removePrivateFile(path);
    return;
  }
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  chmodSync(dirname(path), 0o700);
  replacePrivateFile(path, `${key}\n`);
}

/** The key that `toolwharf mcp` presents. A client whose key is missing is not served as one without a key. */
export function presentedClientKey(path: string): string {
  const key = readClientKey(path);
  if (key !== undefined) return key;
  throw new HostError('auth_required', `there is no client key at ${path}`, {
    hint: 'connect the client again: toolwharf connect CLIENT; then restart it',
  });
}
