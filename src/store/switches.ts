import type { Database } from './database.js';

/** Packages that an operator switched off. Asked before every call, so that it is read once: nobody else has the database. */
export class SwitchedOff {
  readonly #database: Database;
  readonly #now: () => number;
  #known: Promise<readonly string[]> | undefined;
  #off: Promise<ReadonlySet<string>> | undefined;

  constructor(database: Database, now: () => number) {
    this.#database = database;
    this.#now = now;
  }

  /** Sorted. */
  async list(): Promise<readonly string[]> {
    this.#known ??= this.#read().catch((error) => {
      this.#known = undefined;
      throw error;
    });
    return this.#known;
  }

  /** The same, to look something up in. */
  async all(): Promise<ReadonlySet<string>> {
    this.#off ??= this.list().then(
      (it) => new Set(it),
      (error) => {
        this.#off = undefined;
        throw error;
      },
    );
    return this.#off;
  }

  async #read(): Promise<readonly string[]> {
    const rows = await this.#database
      .selectFrom('switched_off')
      .select('package')
      .orderBy('package')
      .execute();
    return rows.map((it) => it.package);
  }

  /** False when it was so already. */
  async set(packageId: string, enabled: boolean, by: string): Promise<boolean> {
    try {
      return await this.#write(packageId, enabled, by);
    } finally {
      this.#known = undefined;
      this.#off = undefined;
    }
  }

  async #write(packageId: string, enabled: boolean, by: string): Promise<boolean> {
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
