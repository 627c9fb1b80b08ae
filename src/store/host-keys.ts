import type { Database } from './database.js';

/** Keys of 32 bytes that the host generates on first use. */
export class HostKeys {
  readonly #database: Database;
  readonly #newKey: () => Uint8Array;

  constructor(database: Database, newKey: () => Uint8Array) {
    this.#database = database;
    this.#newKey = newKey;
  }

  async get(name: string): Promise<Uint8Array> {
    const known = await this.#find(name);
    if (known !== undefined) return known;
    await this.#database
      .insertInto('host_key')
      .values({ name, bytes: this.#newKey() })
      .onConflict((conflict) => conflict.column('name').doNothing())
      .execute();
    return (await this.#find(name)) as Uint8Array;
  }

  async #find(name: string): Promise<Uint8Array | undefined> {
    const row = await this.#database
      .selectFrom('host_key')
      .select('bytes')
      .where('name', '=', name)
      .executeTakeFirst();
    return row && new Uint8Array(row.bytes);
  }
}
