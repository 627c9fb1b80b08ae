import { type Narrowing, narrowingDenials, narrowingLines } from '../model/narrowing.js';
import type { Database } from './database.js';

/** What packages were narrowed to. All rows are in memory, because every profile of a sandbox needs them. */
export class Narrowings {
  readonly #database: Database;
  readonly #byPackage: Map<string, Narrowing>;
  /** Differs after every change. */
  version = 0;

  private constructor(database: Database, rows: readonly Narrowing[]) {
    this.#database = database;
    this.#byPackage = new Map(rows.map((it) => [it.package, it]));
  }

  static async open(database: Database): Promise<Narrowings> {
    const rows = await database.selectFrom('narrowing').selectAll().execute();
    return new Narrowings(
      database,
      rows.map(({ no_writing, network, grants, ...it }) => ({
        ...it,
        network: network === null ? null : (JSON.parse(network) as string[]),
        grants: JSON.parse(grants) as string[],
        noWriting: no_writing === 1,
      })),
    );
  }

  of(packageId: string): Narrowing | undefined {
    return this.#byPackage.get(packageId);
  }

  lines(packageId: string): readonly string[] {
    const found = this.of(packageId);
    return found === undefined ? [] : narrowingLines(found);
  }

  /** All of them, in the syntax of the setting `deny`. */
  denials(): readonly string[] {
    return [...this.#byPackage.values()].flatMap(narrowingDenials);
  }

  /** Grants that were added by name, in the syntax of `--allow`. */
  grants(): readonly string[] {
    return [...this.#byPackage.values()].flatMap((it) => it.grants.map((grant) => `${it.package}=${grant}`));
  }

  async set(narrowing: Narrowing): Promise<void> {
    const { package: id, network, grants, noWriting, at, by } = narrowing;
    const values = {
      network: network === null ? null : JSON.stringify(network),
      ...{ grants: JSON.stringify(grants), no_writing: noWriting ? 1 : 0, at, by },
    };
    await this.#database
      .insertInto('narrowing')
      .values({ package: id, ...values })
      .onConflict((conflict) => conflict.column('package').doUpdateSet(values))
      .execute();
    this.#byPackage.set(id, narrowing);
    this.version++;
  }

  /** False if the package was not narrowed. */
  async remove(packageId: string): Promise<boolean> {
    if (!this.#byPackage.has(packageId)) return false;
    await this.#database.deleteFrom('narrowing').where('package', '=', packageId).execute();
    this.#byPackage.delete(packageId);
    this.version++;
    return true;
  }
}
