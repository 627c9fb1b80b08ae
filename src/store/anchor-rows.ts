import type { Database } from './database.js';

/** Places outside the state directory that have an anchor of the audit log. A missing anchor is noticed with it. */
export class AnchorRows {
  readonly #database: Database;
  readonly #now: () => number;

  constructor(database: Database, now: () => number) {
    this.#database = database;
    this.#now = now;
  }

  async places(): Promise<ReadonlySet<string>> {
    const rows = await this.#database.selectFrom('audit_anchor').select('place').execute();
    return new Set(rows.map((it) => it.place));
  }

  async add(place: string): Promise<void> {
    await this.#database
      .insertInto('audit_anchor')
      .values({ place, at: this.#now() })
      .onConflict((it) => it.column('place').doNothing())
      .execute();
  }
}
