import { lstatSync } from 'node:fs';
import { HostError } from '../../model/host-error.js';
import { shellQuote } from '../../model/shell-quote.js';
import { currentKeyStorage, keyFile, keyStorageFile, saltFile } from '../../secrets/key-storage.js';
import type { Keychain } from '../../secrets/keychain.js';
import type { Check } from '../host.js';

const id = 'secrets';

/** Checks where the vault key is stored, without using the key. */
export async function checkVaultKey(state: string, keychain: Keychain | null): Promise<Check> {
  for (const path of [keyStorageFile(state), keyFile(state), saltFile(state)]) {
    const problem = checkFile(path);
    if (problem !== undefined) return problem;
  }
  try {
    const storage = currentKeyStorage(state);
    switch (storage?.kind) {
      case undefined:
        return ok('no secret is stored yet');
      case 'file':
        return ok('secrets are protected by a key file that only you can read');
      case 'passphrase':
        return ok('secrets are protected by a passphrase');
      case 'keychain':
        return await checkKeychainEntry(storage.id as string, keychain);
    }
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
    return failed(error.message, error.hint ?? 'toolwharf secret list');
  }
}

async function checkKeychainEntry(entry: string, keychain: Keychain | null): Promise<Check> {
  if (keychain === null)
    return failed(
      'the key of the secrets is in a keychain, but this system has no supported keychain',
      'use the machine that has the keychain',
    );
  return (await keychain.read(entry)) === undefined
    ? failed(`the key of the secrets is missing from ${keychain.name}`, 'toolwharf secret list')
    : ok(`secrets are protected by a key in ${keychain.name}`);
}

function checkFile(path: string): Check | undefined {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return undefined;
  if (!stats.isFile() || stats.uid !== process.getuid?.())
    return failed(
      `${path} is not a file that belongs to you`,
      `find out where it comes from: ls -l ${shellQuote(path)}`,
    );
  return (stats.mode & 0o177) === 0
    ? undefined
    : failed(`other users may read ${path}`, `chmod 600 ${shellQuote(path)}`);
}

function ok(message: string): Check {
  return { id, status: 'ok', message };
}

function failed(message: string, fix: string): Check {
  return { id, status: 'fail', message, fix };
}
