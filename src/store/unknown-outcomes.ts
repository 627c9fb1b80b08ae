import type { Database, UnknownOutcomeTable } from './database.js';

/** Calls that a host began and did not live to see the end of, until somebody says that they know. */
export class UnknownOutcomes {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Oldest first. */
  list(): Promise<UnknownOutcomeTable[]> {
    return this.#database.selectFrom('unknown_outcome').selectAll().orderBy('at').orderBy('call').execute();
  }

  async add(row: UnknownOutcomeTable): Promise<void> {
    await this.#database
      .insertInto('unknown_outcome')
      .values(row)
      .onConflict((it) => it.column('call').doNothing())
      .execute();
  }

  /** False when there was none. */
  async remove(call: string): Promise<boolean> {
    const done = await this.#database
      .deleteFrom('unknown_outcome')
      .where('call', '=', call)
      .executeTakeFirst();
    return done.numDeletedRows === 1n;
  }
}
