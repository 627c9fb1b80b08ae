import type { Violation, ViolationKind } from '../model/violation.js';
import type { Database } from './database.js';

/** A violation with how often it was seen. */
export interface StoredViolation extends Violation {
  readonly count: number;
  /** Milliseconds since 1970. */
  readonly firstAt: number;
  readonly lastAt: number;
}

/** Violations of packages, each package, kind and detail once. */
export class ViolationRows {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async list(): Promise<readonly StoredViolation[]> {
    const rows = await this.#database.selectFrom('violation').selectAll().orderBy('last_at').execute();
    return rows.map((it) => ({
      ...{ package: it.package, kind: it.kind as ViolationKind, detail: it.detail, count: it.count },
      ...{ firstAt: it.first_at, lastAt: it.last_at },
    }));
  }

  async put({ package: id, kind, detail, count, firstAt, lastAt }: StoredViolation): Promise<void> {
    await this.#database
      .insertInto('violation')
      .values({ package: id, kind, detail, count, first_at: firstAt, last_at: lastAt })
      .onConflict((conflict) =>
        conflict.columns(['package', 'kind', 'detail']).doUpdateSet({ count, last_at: lastAt }),
      )
      .execute();
  }

  async remove(packageId: string): Promise<void> {
    await this.#database.deleteFrom('violation').where('package', '=', packageId).execute();
  }
}
