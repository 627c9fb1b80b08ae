import type { Transaction } from 'kysely';
import { HostError } from '../model/host-error.js';
import type { Database } from './database.js';
import type { SecretTable, StateTables } from './state-tables.js';

/** Encrypted values from the vault. This class cannot decrypt them. */
export class SecretRows {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async get(packageId: string, slot: string): Promise<SecretTable | undefined> {
    const row = await this.#database
      .selectFrom('secret')
      .selectAll()
      .where('package', '=', packageId)
      .where('slot', '=', slot)
      .executeTakeFirst();
    return row && fromRow(row);
  }

  async list(): Promise<SecretTable[]> {
    const rows = await this.#database
      .selectFrom('secret')
      .selectAll()
      .orderBy('package')
      .orderBy('slot')
      .execute();
    return rows.map(fromRow);
  }

  /** Replaces exactly the previous version. Returns false if another version was written in the meantime. */
  put(row: SecretTable): Promise<boolean> {
    return putSecret(this.#database, row);
  }

  /** Returns false if there was no value. */
  async remove(packageId: string, slot: string): Promise<boolean> {
    const result = await this.#database
      .deleteFrom('secret')
      .where('package', '=', packageId)
      .where('slot', '=', slot)
      .executeTakeFirst();
    return result.numDeletedRows === 1n;
  }
}

/** Replaces exactly the previous version, also inside a transaction. */
async function putSecret(database: Pick<Database, 'insertInto'>, row: SecretTable): Promise<boolean> {
  const { audience, version, nonce, sealed, set_at } = row;
  const result = await database
    .insertInto('secret')
    .values(row)
    .onConflict((conflict) =>
      conflict
        .columns(['package', 'slot'])
        .doUpdateSet({ audience, version, nonce, sealed, set_at })
        .where('secret.version', '=', version - 1),
    )
    .executeTakeFirst();
  return result.numInsertedOrUpdatedRows === 1n;
}

export async function putValues(
  transaction: Transaction<StateTables>,
  values: readonly SecretTable[],
): Promise<void> {
  for (const it of values)
    if (!(await putSecret(transaction, it)))
      throw new HostError('state_unusable', `the value for ${it.slot} was set at the same time`, {
        hint: 'try again',
      });
}

/** One of the SQLite libraries returns blobs as an ArrayBuffer. */
function fromRow(row: SecretTable): SecretTable {
  return { ...row, nonce: new Uint8Array(row.nonce), sealed: new Uint8Array(row.sealed) };
}
