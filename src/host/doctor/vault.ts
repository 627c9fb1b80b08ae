import { lstatSync } from 'node:fs';
import { HostError } from '../../model/host-error.js';
import { shellWord } from '../../model/shell-word.js';
import { keyFile, keyStorageFile, keyStorageOf, saltFile } from '../../secrets/key-storage.js';
import type { Keychain } from '../../secrets/keychain.js';
import type { Check } from '../host.js';

const id = 'secrets';

/** Who keeps the key of the secrets. The key itself is not used. */
export async function checkKey(state: string, keychain: Keychain | null): Promise<Check> {
  for (const path of [keyStorageFile(state), keyFile(state), saltFile(state)]) {
    const wrong = checkFile(path);
    if (wrong !== undefined) return wrong;
  }
  try {
    const keeper = keyStorageOf(state);
    switch (keeper?.kind) {
      case undefined:
        return ok('no secret was kept yet');
      case 'file':
        return ok('secrets are kept with a key file that only you can read');
      case 'passphrase':
        return ok('secrets are kept with a passphrase');
      case 'keychain':
        return await checkEntry(keeper.id as string, keychain);
    }
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
    return failed(error.message, error.hint ?? 'toolwharf secret list');
  }
}

async function checkEntry(entry: string, keychain: Keychain | null): Promise<Check> {
  if (keychain === null)
    return failed(
      'secrets are kept with a keychain, and none of this system is known',
      'use the machine that has it',
    );
  return (await keychain.read(entry)) === undefined
    ? failed(`${keychain.name} no longer has the key of the secrets`, 'toolwharf secret list')
    : ok(`secrets are kept with a key in ${keychain.name}`);
}

function checkFile(path: string): Check | undefined {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return undefined;
  if (!found.isFile() || found.uid !== process.getuid?.())
    return failed(`${path} is not a file of yours`, `find out who put it there: ls -l ${shellWord(path)}`);
  return (found.mode & 0o177) === 0
    ? undefined
    : failed(`others may read ${path}`, `chmod 600 ${shellWord(path)}`);
}

function ok(message: string): Check {
  return { id, status: 'ok', message };
}

function failed(message: string, fix: string): Check {
  return { id, status: 'fail', message, fix };
}
