import type { Database } from './database.js';
import type { LabelSessionTable } from './taint-tables.js';

/** Changes of what a session has seen. */
export type LabelChange = Pick<
  LabelSessionTable,
  'integrity' | 'secrecy' | 'untrusted_by' | 'private_by' | 'facts'
>;

/** What sessions have seen. A row is on disk before an answer that it is about leaves the host. */
export class LabelSessionRows {
  readonly #database: Database;
  readonly #now: () => number;

  constructor(database: Database, now: () => number) {
    this.#database = database;
    this.#now = now;
  }

  find(key: string): Promise<LabelSessionTable | undefined> {
    return this.#rows().where('key', '=', key).executeTakeFirst();
  }

  get(id: string): Promise<LabelSessionTable | undefined> {
    return this.#rows().where('id', '=', id).executeTakeFirst();
  }

  /** Changed last first. */
  list(): Promise<LabelSessionTable[]> {
    return this.#rows().orderBy('changed_at', 'desc').orderBy('id').execute();
  }

  /** Stores the labels of a session that may be new. */
  async put(
    session: Pick<LabelSessionTable, 'id' | 'key' | 'principal' | 'root'>,
    change: LabelChange,
  ): Promise<void> {
    const at = this.#now();
    await this.#database
      .insertInto('label_session')
      .values({ ...session, ...change, created_at: at, changed_at: at })
      .onConflict((conflict) => conflict.column('key').doUpdateSet({ ...change, changed_at: at }))
      .execute();
  }

  async remove(id: string): Promise<void> {
    await this.#database.deleteFrom('label_session').where('id', '=', id).execute();
  }

  #rows() {
    return this.#database.selectFrom('label_session').selectAll();
  }
}
