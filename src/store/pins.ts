import type { Database } from './database.js';

/** Files and folders that an operator named. What is found there for the first time later waits for a person. */
export class Links {
  readonly #database: Database;
  readonly #now: () => number;

  constructor(database: Database, now: () => number) {
    this.#database = database;
    this.#now = now;
  }

  async isKnown(folder: string): Promise<boolean> {
    const row = await this.#database
      .selectFrom('link')
      .select('folder')
      .where('folder', '=', folder)
      .executeTakeFirst();
    return row !== undefined;
  }

  /** True when it was not known before: of many who ask at once, one is the first. */
  async add(folder: string): Promise<boolean> {
    const result = await this.#database
      .insertInto('link')
      .values({ folder, linked_at: this.#now() })
      .onConflict((conflict) => conflict.column('folder').doNothing())
      .executeTakeFirst();
    return result.numInsertedOrUpdatedRows === 1n;
  }
}

/** What somebody agreed to for the package of one manifest. */
export interface Pin {
  /** Absolute path of the manifest. */
  readonly manifest: string;
  readonly package: string;
  readonly digest: string;
  /** What the package asked for, as canonical JSON. */
  readonly request: string;
  /** What models and people read of it, as JSON; null when an earlier version pinned it. */
  readonly words: string | null;
  readonly acceptedAt: number;
  readonly acceptedBy: string;
}

export class Pins {
  readonly #database: Database;
  readonly #now: () => number;

  constructor(database: Database, now: () => number) {
    this.#database = database;
    this.#now = now;
  }

  async get(manifest: string): Promise<Pin | undefined> {
    const row = await this.#database
      .selectFrom('pin')
      .selectAll()
      .where('manifest', '=', manifest)
      .executeTakeFirst();
    return (
      row && {
        manifest: row.manifest,
        package: row.package,
        digest: row.digest,
        request: row.request,
        words: row.words,
        acceptedAt: row.accepted_at,
        acceptedBy: row.accepted_by,
      }
    );
  }

  /** Manifests of packages with this id, the one that was agreed to first before the others. */
  async manifestsOf(packageId: string): Promise<readonly string[]> {
    const rows = await this.#database
      .selectFrom('pin')
      .select('manifest')
      .where('package', '=', packageId)
      .orderBy('accepted_at')
      .execute();
    return rows.map((it) => it.manifest);
  }

  /** What packages with this id asked for when they were agreed to, as canonical JSON. */
  async requestsOf(packageId: string): Promise<readonly string[]> {
    const rows = await this.#database
      .selectFrom('pin')
      .select('request')
      .where('package', '=', packageId)
      .execute();
    return rows.map((it) => it.request);
  }

  /** Ids of all packages that somebody agreed to. */
  async packages(): Promise<readonly string[]> {
    const rows = await this.#database
      .selectFrom('pin')
      .select('package')
      .distinct()
      .orderBy('package')
      .execute();
    return rows.map((it) => it.package);
  }

  /** One pin a manifest; the newest agreement counts. */
  async put(pin: Omit<Pin, 'acceptedAt'>): Promise<void> {
    const agreed = {
      package: pin.package,
      digest: pin.digest,
      request: pin.request,
      words: pin.words,
      accepted_at: this.#now(),
      accepted_by: pin.acceptedBy,
    };
    await this.#database
      .insertInto('pin')
      .values({ manifest: pin.manifest, ...agreed })
      .onConflict((conflict) => conflict.column('manifest').doUpdateSet(agreed))
      .execute();
  }
}
