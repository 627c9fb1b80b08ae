import type { PackagePlace } from './agreements.js';
import type { Database } from './database.js';

/**
 * Manifests that were broken when an operator named their path. There was nothing to accept then; the next command that
 * names the path accepts what it finds.
 */
export class BrokenWhenNamed {
  readonly #database: Database;
  readonly #now: () => number;
  /** All rows; undefined until they are read. Only the host of this state directory changes them. */
  #places: Promise<readonly PackagePlace[]> | undefined;

  constructor(database: Database, now: () => number) {
    this.#database = database;
    this.#now = now;
  }

  /** Read for every call that sees files, so they are cached. */
  places(): Promise<readonly PackagePlace[]> {
    this.#places ??= this.#database
      .selectFrom('broken_when_named')
      .select(['manifest', 'paths'])
      .execute()
      .then((rows) => rows.map((it) => ({ manifest: it.manifest, paths: JSON.parse(it.paths) as string[] })));
    return this.#places;
  }

  async has(manifest: string): Promise<boolean> {
    return (await this.places()).some((it) => it.manifest === manifest);
  }

  async add({ manifest, paths }: PackagePlace): Promise<void> {
    await this.#database
      .insertInto('broken_when_named')
      .values({ manifest, paths: JSON.stringify(paths), named_at: this.#now() })
      .onConflict((conflict) => conflict.column('manifest').doNothing())
      .execute();
    this.#places = undefined;
  }

  /** After the package was accepted. */
  async remove(manifest: string): Promise<void> {
    if (!(await this.has(manifest))) return;
    await this.#database.deleteFrom('broken_when_named').where('manifest', '=', manifest).execute();
    this.#places = undefined;
  }
}
