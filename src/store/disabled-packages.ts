import { LoadOnce } from '../model/load-once.js';
import type { Database } from './database.js';

/** Packages that an operator disabled. Checked before every call, so the rows are cached: no other process writes them. */
export class DisabledPackages {
  readonly #database: Database;
  readonly #now: () => number;
  readonly #list = new LoadOnce(() => this.#read());
  readonly #set = new LoadOnce(async (): Promise<ReadonlySet<string>> => new Set(await this.list()));

  constructor(database: Database, now: () => number) {
    this.#database = database;
    this.#now = now;
  }

  /** Package ids, sorted. */
  list(): Promise<readonly string[]> {
    return this.#list.get();
  }

  /** The same ids as a set, for lookups. */
  asSet(): Promise<ReadonlySet<string>> {
    return this.#set.get();
  }

  async #read(): Promise<readonly string[]> {
    const rows = await this.#database
      .selectFrom('disabled_package')
      .select('package')
      .orderBy('package')
      .execute();
    return rows.map((it) => it.package);
  }

  /** Returns false if nothing changed. */
  async set(packageId: string, enabled: boolean, by: string): Promise<boolean> {
    try {
      return await this.#write(packageId, enabled, by);
    } finally {
      this.#list.forget();
      this.#set.forget();
    }
  }

  async #write(packageId: string, enabled: boolean, by: string): Promise<boolean> {
    if (enabled) {
      const removed = await this.#database
        .deleteFrom('disabled_package')
        .where('package', '=', packageId)
        .executeTakeFirst();
      return removed.numDeletedRows === 1n;
    }
    const added = await this.#database
      .insertInto('disabled_package')
      .values({ package: packageId, at: this.#now(), by })
      .onConflict((conflict) => conflict.column('package').doNothing())
      .executeTakeFirst();
    return added.numInsertedOrUpdatedRows === 1n;
  }
}
