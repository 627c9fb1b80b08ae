import type { Database } from './database.js';

/** What an upstream program announced, and which announcement was accepted. */
export interface AnnouncementRow {
  /** Absolute path of the manifest. */
  readonly manifest: string;
  readonly program: string;
  /** Digest of the package at the time of the announcement. */
  readonly digest: string;
  /** The accepted announcement, as canonical JSON. */
  readonly agreed: string;
  /** The latest announcement if it differs and needs review. Null: nothing to review. */
  readonly waiting: string | null;
}

export class AnnouncementRows {
  readonly #database: Database;
  readonly #now: () => number;

  constructor(database: Database, now: () => number) {
    this.#database = database;
    this.#now = now;
  }

  async list(manifest: string): Promise<readonly AnnouncementRow[]> {
    return this.#database
      .selectFrom('announcement')
      .select(['manifest', 'program', 'digest', 'agreed', 'waiting'])
      .where('manifest', '=', manifest)
      .orderBy('program')
      .execute();
  }

  async put({ manifest, program, digest, agreed, waiting }: AnnouncementRow): Promise<void> {
    const columns = { digest, agreed, waiting, at: this.#now() };
    await this.#database
      .insertInto('announcement')
      .values({ manifest, program, ...columns })
      .onConflict((conflict) => conflict.columns(['manifest', 'program']).doUpdateSet(columns))
      .execute();
  }
}
