import type { Database } from './database.js';
import type { ReleaseWarningTable } from './installation-tables.js';

/** What a registry said against an installed release. */
export interface StoredReleaseWarning {
  readonly name: string;
  readonly version: string;
  /** Of its archive. */
  readonly sha256: string;
  readonly registry: string;
  /** `quarantine`: the registry warns about it. `withdrawn`: its publisher withdrew it. */
  readonly kind: 'quarantine' | 'withdrawn';
  readonly reason: string;
  /** When this host learned it. Milliseconds since 1970. */
  readonly seenAt: number;
}

/** What registries said against installed releases. A warning stays until its registry takes it back. */
export class ReleaseWarningRows {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async list(): Promise<readonly StoredReleaseWarning[]> {
    const rows = await this.#database
      .selectFrom('release_warning')
      .selectAll()
      .orderBy('name')
      .orderBy('version')
      .orderBy('kind')
      .orderBy('registry')
      .execute();
    return rows.map(warningOf);
  }

  async put(warning: StoredReleaseWarning): Promise<void> {
    const { seenAt, ...row } = warning;
    await this.#database
      .insertInto('release_warning')
      .values({ ...row, seen_at: seenAt })
      .onConflict((conflict) =>
        conflict
          .columns(['name', 'version', 'sha256', 'registry', 'kind'])
          .doUpdateSet({ reason: row.reason, seen_at: seenAt }),
      )
      .execute();
  }

  async remove({ name, version, sha256, registry, kind }: StoredReleaseWarning): Promise<void> {
    await this.#database
      .deleteFrom('release_warning')
      .where('name', '=', name)
      .where('version', '=', version)
      .where('sha256', '=', sha256)
      .where('registry', '=', registry)
      .where('kind', '=', kind)
      .execute();
  }
}

function warningOf({ seen_at: seenAt, kind, ...row }: ReleaseWarningTable): StoredReleaseWarning {
  return { ...row, kind: kind as StoredReleaseWarning['kind'], seenAt };
}
