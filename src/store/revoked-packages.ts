import type { Database } from './database.js';
import type { RevokedPackageTable } from './installation-tables.js';

/** Packages that were revoked and not installed again. */
export class RevokedPackages {
  readonly #database: Database;
  readonly #now: () => number;

  constructor(database: Database, now: () => number) {
    this.#database = database;
    this.#now = now;
  }

  async list(): Promise<readonly RevokedPackageTable[]> {
    return this.#database.selectFrom('revoked_package').selectAll().execute();
  }

  async add(packageId: string, by: string): Promise<void> {
    const columns = { at: this.#now(), by };
    await this.#database
      .insertInto('revoked_package')
      .values({ package: packageId, ...columns })
      .onConflict((conflict) => conflict.column('package').doUpdateSet(columns))
      .execute();
  }

  async remove(packageId: string): Promise<void> {
    await this.#database.deleteFrom('revoked_package').where('package', '=', packageId).execute();
  }
}
