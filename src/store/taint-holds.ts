import type { Database } from './database.js';
import type { TaintHoldTable } from './taint-tables.js';

/** What the approval of held calls vouches for. */
export class TaintHoldRows {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async add(row: TaintHoldTable): Promise<void> {
    await this.#database.insertInto('taint_hold').values(row).execute();
  }

  async change(approval: string, endorses: string): Promise<void> {
    await this.#database
      .updateTable('taint_hold')
      .set({ endorses })
      .where('approval', '=', approval)
      .execute();
  }

  get(approval: string): Promise<TaintHoldTable | undefined> {
    return this.#database
      .selectFrom('taint_hold')
      .selectAll()
      .where('approval', '=', approval)
      .executeTakeFirst();
  }
}
