import type { Database } from './database.js';
import type { UnknownOutcomeTable } from './state-tables.js';

/** Calls that a host started but did not finish before it ended. A row stays until an operator acknowledges it. */
export class UnknownOutcomeRows {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Oldest first. `repeats`: the host repeats the call when a session of its caller opens. */
  async list(): Promise<(UnknownOutcomeTable & { readonly repeats: boolean })[]> {
    const rows = await this.#database
      .selectFrom('unknown_outcome')
      .leftJoin('repeatable_call', 'repeatable_call.call', 'unknown_outcome.call')
      .selectAll('unknown_outcome')
      .select('repeatable_call.call as waiting')
      .orderBy('unknown_outcome.at')
      .orderBy('unknown_outcome.call')
      .execute();
    return rows.map(({ waiting, ...row }) => ({ ...row, repeats: waiting !== null }));
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
