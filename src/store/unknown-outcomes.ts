import type { Database } from './database.js';
import type { UnknownOutcomeTable } from './state-tables.js';

/** Calls that a host started but did not finish before it ended. A row stays until an operator acknowledges it. */
export class UnknownOutcomeRows {
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

  /** Returns false if there was no such row. */
  async remove(call: string): Promise<boolean> {
    const done = await this.#database
      .deleteFrom('unknown_outcome')
      .where('call', '=', call)
      .executeTakeFirst();
    return done.numDeletedRows === 1n;
  }
}
