import type { Database } from './database.js';

/** Paths that an operator named on the command line or in the configuration. A package that appears there later needs review. */
export class LinkRows {
  readonly #database: Database;
  readonly #now: () => number;
  /** All rows; undefined until they are read. Only the host of this state directory changes them. */
  #folders: Promise<readonly string[]> | undefined;

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

  /** All named paths. Read for every call that sees files, so they are cached. */
  folders(): Promise<readonly string[]> {
    this.#folders ??= this.#database
      .selectFrom('link')
      .select('folder')
      .execute()
      .then((rows) => rows.map((it) => it.folder));
    return this.#folders;
  }

  /** Returns true if the path was new. Of several concurrent calls, only one gets true. */
  async add(folder: string): Promise<boolean> {
    const result = await this.#database
      .insertInto('link')
      .values({ folder, linked_at: this.#now() })
      .onConflict((conflict) => conflict.column('folder').doNothing())
      .executeTakeFirst();
    this.#folders = undefined;
    return result.numInsertedOrUpdatedRows === 1n;
  }
}

/** The agreement to the package of one manifest. */
export interface Agreement {
  /** Absolute path of the manifest. */
  readonly manifest: string;
  readonly package: string;
  readonly digest: string;
  /** The permissions that the package requested, as canonical JSON. */
  readonly request: string;
  /** Package text that models and people read, as JSON. */
  readonly text: string;
  /** Where its files are on this machine: a folder, or single files. */
  readonly paths: readonly string[];
  readonly acceptedAt: number;
  readonly acceptedBy: string;
}

/** Where one package is on this machine. */
export type PackagePlace = Pick<Agreement, 'manifest' | 'paths'>;

export class AgreementRows {
  readonly #database: Database;
  readonly #now: () => number;
  /** Grows with every change, so that open sessions notice it. */
  version = 0;
  /** The places of all packages; undefined until they are read. Only the host of this state directory changes them. */
  #places: Promise<readonly PackagePlace[]> | undefined;

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
        paths: JSON.parse(row.paths) as string[],
        acceptedAt: row.accepted_at,
        acceptedBy: row.accepted_by,
      }
    );
  }

  /** Where all packages with an agreement are. Read for every call that sees files, so it is cached. */
  places(): Promise<readonly PackagePlace[]> {
    this.#places ??= this.#database
      .selectFrom('agreement')
      .select(['manifest', 'paths'])
      .execute()
      .then((rows) => rows.map((it) => ({ manifest: it.manifest, paths: JSON.parse(it.paths) as string[] })));
    return this.#places;
  }

  /** Manifests of packages with this id, oldest agreement first. */
  async manifestsOf(packageId: string): Promise<readonly string[]> {
    const rows = await this.#database
      .selectFrom('agreement')
      .select('manifest')
      .where('package', '=', packageId)
      .orderBy('accepted_at')
      .execute();
    return rows.map((it) => it.manifest);
  }

  /** The requested permissions in the agreements of packages with this id, as canonical JSON. */
  async requestsOf(packageId: string): Promise<readonly string[]> {
    const rows = await this.#database
      .selectFrom('agreement')
      .select('request')
      .where('package', '=', packageId)
      .execute();
    return rows.map((it) => it.request);
  }

  /** Ids of all packages with an agreement. */
  async packages(): Promise<readonly string[]> {
    const rows = await this.#database
      .selectFrom('agreement')
      .select('package')
      .distinct()
      .orderBy('package')
      .execute();
    return rows.map((it) => it.package);
  }

  /** Call it after agreements were changed together with other tables. */
  changed(): void {
    this.version++;
    this.#places = undefined;
  }

  /** Replaces the agreement of the manifest, if there is one. */
  async put(agreement: Omit<Agreement, 'acceptedAt'>): Promise<void> {
    const columns = {
      package: agreement.package,
      digest: agreement.digest,
      request: agreement.request,
      package_text: agreement.text,
      paths: JSON.stringify(agreement.paths),
      accepted_at: this.#now(),
      accepted_by: agreement.acceptedBy,
    };
    await this.#database
      .insertInto('agreement')
      .values({ manifest: agreement.manifest, ...columns })
      .onConflict((conflict) => conflict.column('manifest').doUpdateSet(columns))
      .execute();
    this.changed();
  }
}
