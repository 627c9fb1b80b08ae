import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { runSystemProgram } from '../../sandbox/system-program.js';
import { systemKeychain } from '../../secrets/keychain.js';
import { readModelKey } from '../../secrets/model-key.js';
import { openVault } from '../../secrets/vault.js';
import { databaseFile, openDatabase } from '../../store/database.js';
import { SecretRows } from '../../store/secrets.js';

export interface StoredModelKeyOptions {
  readonly state: string;
  readonly now: () => number;
  readonly passphrase?: string | undefined;
}

/** The key of the model for a host, from the vault of a state directory; undefined if there is none. Changes nothing. */
export async function storedModelKey(
  { state, now, passphrase }: StoredModelKeyOptions,
  host: string,
): Promise<string | undefined> {
  if (!existsSync(join(state, databaseFile))) return undefined;
  const database = openDatabase(state);
  try {
    const keychain = systemKeychain(process.platform, runSystemProgram);
    const vault = openVault({ state, rows: new SecretRows(database), now, passphrase, keychain });
    return await readModelKey(vault, host);
  } finally {
    await database.destroy();
  }
}
