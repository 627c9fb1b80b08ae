import type { Waiver } from '../model/waiver.js';
import type { Database } from './database.js';
import type { AcceptedWaiverTable } from './state-tables.js';

/** The waivers that an operator accepted, by the digest of their content. */
export class AcceptedWaivers {
  readonly #database: Database;
  readonly #now: () => number;

  constructor(database: Database, now: () => number) {
    this.#database = database;
    this.#now = now;
  }

  /** Oldest first. */
  list(): Promise<AcceptedWaiverTable[]> {
    return this.#database
      .selectFrom('accepted_waiver')
      .selectAll()
      .orderBy('accepted_at')
      .orderBy('id')
      .execute();
  }

  /** Accepting again replaces the row, so that an acceptance with the PIN counts from then on. */
  async put(
    { id, kind, content, text }: Waiver,
    { by, verified }: { readonly by: string; readonly verified: boolean },
  ): Promise<void> {
    const columns = {
      kind,
      content: JSON.stringify(content),
      text,
      accepted_at: this.#now(),
      accepted_by: by,
      verified: verified ? 1 : 0,
    };
    await this.#database
      .insertInto('accepted_waiver')
      .values({ id, ...columns })
      .onConflict((conflict) => conflict.column('id').doUpdateSet(columns))
      .execute();
  }

  /** False if there was no such row. */
  async remove(id: string): Promise<boolean> {
    const result = await this.#database.deleteFrom('accepted_waiver').where('id', '=', id).executeTakeFirst();
    return result.numDeletedRows === 1n;
  }
}
