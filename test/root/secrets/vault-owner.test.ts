// The vault does not use a key file that another user could have written.
import { chownSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openVault } from '../../../src/secrets/vault.js';
import { SecretRows } from '../../../src/store/secrets.js';
import { openDatabase } from '../../../src/store/sqlite/sqlite-database.js';

test('a vault key of another owner is rejected', async () => {
  const state = mkdtempSync(join(tmpdir(), 'toolwharf-vault-'));
  const database = openDatabase(state);
  try {
    const vault = () => openVault({ state, rows: new SecretRows(database), now: Date.now });
    await vault().set({ package: 'weather', slot: 'KEY', value: 'a secret', audience: { kind: 'any' } });
    // Control: the owner can read it.
    expect(await vault().value('weather', 'KEY')).toMatchObject({ value: 'a secret' });
    chownSync(join(state, 'vault.key'), 65533, 65533);
    await expect(vault().value('weather', 'KEY')).rejects.toMatchObject({ code: 'state_unusable' });
  } finally {
    await database.destroy();
    rmSync(state, { recursive: true, force: true });
  }
});
