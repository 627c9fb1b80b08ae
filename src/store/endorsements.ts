import type { Database } from './database.js';
import type { EndorsementTable } from './taint-tables.js';

/** Values that people vouched for, by session. */
export class EndorsementRows {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Oldest first. Null: of all sessions. */
  async list(session: string | null): Promise<EndorsementTable[]> {
    const rows = this.#database.selectFrom('endorsement').selectAll().orderBy('created_at').orderBy('id');
    return (session === null ? rows : rows.where('session', '=', session)).execute();
  }

  async add(rows: readonly EndorsementTable[]): Promise<void> {
    if (rows.length > 0)
      await this.#database
        .insertInto('endorsement')
        .values([...rows])
        .execute();
  }

  /** The row that was removed; undefined if there was none. */
  remove(id: string): Promise<EndorsementTable | undefined> {
    return this.#database.deleteFrom('endorsement').where('id', '=', id).returningAll().executeTakeFirst();
  }

  async removeOf(session: string): Promise<void> {
    await this.#database.deleteFrom('endorsement').where('session', '=', session).execute();
  }
}
