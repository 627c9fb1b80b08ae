import type { Database } from './database.js';

/** Why the last start of an upstream program failed. */
export interface StartFailureRow {
  /** Absolute path of the manifest. */
  readonly manifest: string;
  readonly program: string;
  /** Digest of the package at the time of the start. */
  readonly digest: string;
  /** One sentence. */
  readonly reason: string;
}

export class StartFailureRows {
  readonly #database: Database;
  readonly #now: () => number;

  constructor(database: Database, now: () => number) {
    this.#database = database;
    this.#now = now;
  }

  async list(manifest: string): Promise<readonly StartFailureRow[]> {
    return this.#database
      .selectFrom('start_failure')
      .select(['manifest', 'program', 'digest', 'reason'])
      .where('manifest', '=', manifest)
      .execute();
  }

  async put({ manifest, program, digest, reason }: StartFailureRow): Promise<void> {
    const columns = { digest, reason, at: this.#now() };
    await this.#database
      .insertInto('start_failure')
      .values({ manifest, program, ...columns })
      .onConflict((conflict) => conflict.columns(['manifest', 'program']).doUpdateSet(columns))
      .execute();
  }

  async remove(manifest: string, program: string): Promise<void> {
    await this.#database
      .deleteFrom('start_failure')
      .where('manifest', '=', manifest)
      .where('program', '=', program)
      .execute();
  }
}
