import type { Database } from './database.js';
import type { KillTable } from './state-tables.js';

/** Targets that the kill switch stops until somebody lifts it. */
export class KillRows {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Oldest first. */
  list(): Promise<KillTable[]> {
    return this.#database.selectFrom('kill').selectAll().orderBy('at').orderBy('target').execute();
  }

  async add(row: KillTable): Promise<void> {
    await this.#database
      .insertInto('kill')
      .values(row)
      .onConflict((it) => it.column('target').doNothing())
      .execute();
  }

  async remove(target: string): Promise<void> {
    await this.#database.deleteFrom('kill').where('target', '=', target).execute();
  }
}
