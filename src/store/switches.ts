import type { Database } from './database.js';

/** Packages that an operator switched off. */
export class SwitchedOff {
  readonly #database: Database;
  readonly #now: () => number;

  constructor(database: Database, now: () => number) {
    this.#database = database;
    this.#now = now;
  }

  /** Sorted. */
  async list(): Promise<string[]> {
    const rows = await this.#database
      .selectFrom('switched_off')
      .select('package')
      .orderBy('package')
      .execute();
    return rows.map((it) => it.package);
  }

  /** False when it was so already. */
  async set(packageId: string, enabled: boolean, by: string): Promise<boolean> {
    if (enabled) {
      const removed = await this.#database
        .deleteFrom('switched_off')
        .where('package', '=', packageId)
        .executeTakeFirst();
      return removed.numDeletedRows === 1n;
    }
    const added = await this.#database
      .insertInto('switched_off')
      .values({ package: packageId, at: this.#now(), by })
      .onConflict((conflict) => conflict.column('package').doNothing())
      .executeTakeFirst();
    return added.numInsertedOrUpdatedRows === 1n;
  }
}
