import type { Database } from './database.js';

/** Files and folders that an operator named. What is found there for the first time later waits for a person. */
export class LinkRows {
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
export interface Agreement {
  /** Absolute path of the manifest. */
  readonly manifest: string;
  readonly package: string;
  readonly digest: string;
  /** What the package asked for, as canonical JSON. */
  readonly request: string;
  /** What models and people read of it, as JSON. */
  readonly text: string;
  readonly acceptedAt: number;
  readonly acceptedBy: string;
}

export class AgreementRows {
  readonly #database: Database;
  readonly #now: () => number;

  constructor(database: Database, now: () => number) {
    this.#database = database;
    this.#now = now;
  }

  async get(manifest: string): Promise<Agreement | undefined> {
    const row = await this.#database
      .selectFrom('agreement')
      .selectAll()
      .where('manifest', '=', manifest)
      .executeTakeFirst();
    return (
      row && {
        manifest: row.manifest,
        package: row.package,
        digest: row.digest,
        request: row.request,
        text: row.package_text,
        acceptedAt: row.accepted_at,
        acceptedBy: row.accepted_by,
      }
    );
  }

  /** Manifests of packages with this id, the one that was agreed to first before the others. */
  async manifestsOf(packageId: string): Promise<readonly string[]> {
    const rows = await this.#database
      .selectFrom('agreement')
      .select('manifest')
      .where('package', '=', packageId)
      .orderBy('accepted_at')
      .execute();
    return rows.map((it) => it.manifest);
  }

  /** What packages with this id asked for when they were agreed to, as canonical JSON. */
  async requestsOf(packageId: string): Promise<readonly string[]> {
    const rows = await this.#database
      .selectFrom('agreement')
      .select('request')
      .where('package', '=', packageId)
      .execute();
    return rows.map((it) => it.request);
  }

  /** Ids of all packages that somebody agreed to. */
  async packages(): Promise<readonly string[]> {
    const rows = await this.#database
      .selectFrom('agreement')
      .select('package')
      .distinct()
      .orderBy('package')
      .execute();
    return rows.map((it) => it.package);
  }

  /** One agreement per manifest; the newest counts. */
  async put(agreement: Omit<Agreement, 'acceptedAt'>): Promise<void> {
    const agreed = {
      package: agreement.package,
      digest: agreement.digest,
      request: agreement.request,
      package_text: agreement.text,
      accepted_at: this.#now(),
      accepted_by: agreement.acceptedBy,
    };
    await this.#database
      .insertInto('agreement')
      .values({ manifest: agreement.manifest, ...agreed })
      .onConflict((conflict) => conflict.column('manifest').doUpdateSet(agreed))
      .execute();
  }
}
