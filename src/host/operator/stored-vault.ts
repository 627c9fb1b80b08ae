import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { runSystemProgram } from '../../sandbox/system-program.js';
import { systemKeychain } from '../../secrets/keychain.js';
import { openVault, type Vault } from '../../secrets/vault.js';
import { SecretRows } from '../../store/secrets.js';
import { databaseFile, openDatabase } from '../../store/sqlite/sqlite-database.js';

export interface StoredVaultOptions {
  readonly state: string;
  readonly now: () => number;
  readonly passphrase?: string | undefined;
}

/** Reads the vault of a state directory for a command that needs no host. Undefined: there is none. Changes nothing. */
export async function readStoredVault<T>(
  { state, now, passphrase }: StoredVaultOptions,
  read: (vault: Pick<Vault, 'value'>) => Promise<T>,
): Promise<T | undefined> {
  if (!existsSync(join(state, databaseFile))) return undefined;
  const database = openDatabase(state);
  try {
    const keychain = systemKeychain(process.platform, runSystemProgram);
    return await read(openVault({ state, rows: new SecretRows(database), now, passphrase, keychain }));
  } finally {
    await database.destroy();
  }
}
