import type { Database } from './database.js';

/** What the program of a package said of itself, and what somebody agreed to of that. */
export interface AnnouncementRow {
  /** Absolute path of the manifest. */
  readonly manifest: string;
  readonly program: string;
  /** Digest of the package when the program said so. */
  readonly digest: string;
  /** Canonical JSON. */
  readonly agreed: string;
  /** What it said last, where that is something else; null when nothing waits. */
  readonly waiting: string | null;
}

export class Announcements {
  readonly #database: Database;
  readonly #now: () => number;

  constructor(database: Database, now: () => number) {
    this.#database = database;
    this.#now = now;
  }

  async of(manifest: string): Promise<readonly AnnouncementRow[]> {
    return this.#database
      .selectFrom('announcement')
      .select(['manifest', 'program', 'digest', 'agreed', 'waiting'])
      .where('manifest', '=', manifest)
      .orderBy('program')
      .execute();
  }

  async put({ manifest, program, digest, agreed, waiting }: AnnouncementRow): Promise<void> {
    const told = { digest, agreed, waiting, at: this.#now() };
    await this.#database
      .insertInto('announcement')
      .values({ manifest, program, ...told })
      .onConflict((conflict) => conflict.columns(['manifest', 'program']).doUpdateSet(told))
      .execute();
  }
}
