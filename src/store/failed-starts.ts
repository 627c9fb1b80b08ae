import type { Database } from './database.js';

/** Why the last start of an upstream program failed. */
export interface FailedStartRow {
  /** Absolute path of the manifest. */
  readonly manifest: string;
  readonly program: string;
  /** Digest of the package at the time of the start. */
  readonly digest: string;
  /** One sentence. */
  readonly reason: string;
}

export class FailedStartRows {
  readonly #database: Database;
  readonly #now: () => number;

  constructor(database: Database, now: () => number) {
    this.#database = database;
    this.#now = now;
  }

  async list(manifest: string): Promise<readonly FailedStartRow[]> {
    return this.#database
      .selectFrom('failed_start')
      .select(['manifest', 'program', 'digest', 'reason'])
      .where('manifest', '=', manifest)
      .execute();
  }

  async put({ manifest, program, digest, reason }: FailedStartRow): Promise<void> {
    const columns = { digest, reason, at: this.#now() };
    await this.#database
      .insertInto('failed_start')
      .values({ manifest, program, ...columns })
      .onConflict((conflict) => conflict.columns(['manifest', 'program']).doUpdateSet(columns))
      .execute();
  }

  async remove(manifest: string, program: string): Promise<void> {
    await this.#database
      .deleteFrom('failed_start')
      .where('manifest', '=', manifest)
      .where('program', '=', program)
      .execute();
  }
}
