import type { Database } from './database.js';
import type { WatchedPackageTable } from './installation-tables.js';

/** Packages that are watched for a while, so that their smallest grant can be proposed. They stay watched over restarts. */
export class WatchedPackages {
  readonly #database: Database;
  readonly #now: () => number;
  readonly #byPackage: Map<string, WatchedPackageTable>;

  private constructor(database: Database, now: () => number, rows: readonly WatchedPackageTable[]) {
    this.#database = database;
    this.#now = now;
    this.#byPackage = new Map(rows.map((it) => [it.package, it]));
  }

  static async open(database: Database, now: () => number): Promise<WatchedPackages> {
    return new WatchedPackages(
      database,
      now,
      await database.selectFrom('watched_package').selectAll().execute(),
    );
  }

  /** When the package began to be watched; undefined if it is not watched now. */
  since(packageId: string): number | undefined {
    const found = this.#byPackage.get(packageId);
    return found !== undefined && found.until > this.#now() ? found.since : undefined;
  }

  async watch(packageId: string, until: number): Promise<number> {
    const since = this.#now();
    const values = { since, until };
    await this.#database
      .insertInto('watched_package')
      .values({ package: packageId, ...values })
      .onConflict((conflict) => conflict.column('package').doUpdateSet(values))
      .execute();
    this.#byPackage.set(packageId, { package: packageId, ...values });
    return since;
  }
}
