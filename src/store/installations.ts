import type { Transaction } from 'kysely';
import type { Generation, GenerationTrial, Installation, SmokeResult } from '../model/installation.js';
import type { Agreement } from './agreements.js';
import type { Database } from './database.js';
import { setTrial } from './generation-trial.js';
import type { GenerationTable, InstallationTable } from './installation-tables.js';
import { putValues } from './secrets.js';
import type { SecretTable, StateTables } from './state-tables.js';

/** What was accepted for a generation. It is valid again after a rollback. */
export type GenerationAgreement = Pick<Agreement, 'manifest' | 'request' | 'text' | 'paths' | 'acceptedBy'>;

/** A generation with its agreement, as it is stored. */
export interface StoredGeneration extends Generation {
  readonly agreement: GenerationAgreement;
}

/** Installed packages and their generations. Only the host of this state directory writes them. */
export class InstallationRows {
  readonly #database: Database;
  readonly #now: () => number;

  constructor(database: Database, now: () => number) {
    this.#database = database;
    this.#now = now;
  }

  /** Sorted by package. */
  async list(): Promise<readonly Installation[]> {
    const rows = await this.#database.selectFrom('installation').selectAll().orderBy('package').execute();
    return rows.map(installationOf);
  }

  async get(packageId: string): Promise<Installation | undefined> {
    const row = await this.#database
      .selectFrom('installation')
      .selectAll()
      .where('package', '=', packageId)
      .executeTakeFirst();
    return row && installationOf(row);
  }

  /** Oldest first. Without an id: of all packages. */
  async generations(packageId?: string): Promise<readonly StoredGeneration[]> {
    const all = this.#database.selectFrom('generation').selectAll().orderBy('package').orderBy('number');
    const rows = await (packageId === undefined ? all : all.where('package', '=', packageId)).execute();
    return rows.map(generationOf);
  }

  async generation(packageId: string, number: number): Promise<StoredGeneration | undefined> {
    const row = await this.#database
      .selectFrom('generation')
      .selectAll()
      .where('package', '=', packageId)
      .where('number', '=', number)
      .executeTakeFirst();
    return row && generationOf(row);
  }

  /**
   * Stores a new generation, its values and its agreement, serves it and ends the journal entry: all of it or nothing.
   * `values`: sealed, as the next versions of the stored ones. `delayed`: it is on disk after `sync`.
   */
  switchTo(
    generation: StoredGeneration,
    roots: Installation['roots'],
    journal: string,
    values: readonly SecretTable[],
    delayed: 'delayed' | 'on disk' = 'on disk',
  ): Promise<void> {
    const work = async (transaction: Transaction<StateTables>) => {
      await transaction.insertInto('generation').values(rowOf(generation)).execute();
      await putValues(transaction, values);
      await this.#point(transaction, generation, roots);
      await transaction.deleteFrom('change_journal').where('id', '=', journal).execute();
    };
    return delayed === 'delayed'
      ? this.#database.withDelayedTransaction(work)
      : this.#database.transaction().execute(work);
  }

  /** Waits until all changes so far are on disk. */
  sync(): Promise<void> {
    return this.#database.syncLog();
  }

  /**
   * Serves an earlier generation, whose agreement is valid again, and ends the journal entry: all of it or nothing.
   * `failed`: the generation before it, if it never started.
   */
  pointTo(
    generation: StoredGeneration,
    roots: Installation['roots'],
    journal: string,
    failed?: { readonly number: number; readonly trial: GenerationTrial },
  ): Promise<void> {
    return this.#database.transaction().execute(async (transaction) => {
      await this.#point(transaction, generation, roots);
      if (failed !== undefined)
        await setTrial(transaction, generation.package, failed.number, JSON.stringify(failed.trial));
      await transaction.deleteFrom('change_journal').where('id', '=', journal).execute();
    });
  }

  async #point(
    transaction: Transaction<StateTables>,
    { package: packageId, number, digest, agreement }: StoredGeneration,
    roots: Installation['roots'],
  ): Promise<void> {
    const now = this.#now();
    const current = { current: number, state: 'active', root: rootColumn(roots) };
    await transaction
      .insertInto('installation')
      .values({ package: packageId, ...current, installed_at: now })
      .onConflict((conflict) => conflict.column('package').doUpdateSet(current))
      .execute();
    const columns = {
      package: packageId,
      digest,
      request: agreement.request,
      package_text: agreement.text,
      paths: JSON.stringify(agreement.paths),
      accepted_at: now,
      accepted_by: agreement.acceptedBy,
    };
    await transaction
      .insertInto('agreement')
      .values({ manifest: agreement.manifest, ...columns })
      .onConflict((conflict) => conflict.column('manifest').doUpdateSet(columns))
      .execute();
  }

  /** The same generation for other workspaces and with new values; ends the journal entry: all of it or nothing. */
  keep(
    { package: packageId }: StoredGeneration,
    roots: Installation['roots'],
    journal: string,
    values: readonly SecretTable[],
  ): Promise<void> {
    return this.#database.transaction().execute(async (transaction) => {
      await putValues(transaction, values);
      await transaction
        .updateTable('installation')
        .set({ root: rootColumn(roots) })
        .where('package', '=', packageId)
        .execute();
      await transaction.deleteFrom('change_journal').where('id', '=', journal).execute();
    });
  }

  /** From now on the package is not served, also after a restart. */
  async markRevoking(packageId: string): Promise<void> {
    await this.#database
      .updateTable('installation')
      .set({ state: 'revoking' })
      .where('package', '=', packageId)
      .execute();
  }

  async setSmoke(packageId: string, number: number, smoke: SmokeResult): Promise<void> {
    await this.#database
      .updateTable('generation')
      .set({ smoke: JSON.stringify(smoke) })
      .where('package', '=', packageId)
      .where('number', '=', number)
      .execute();
  }

  /** A start succeeded. */
  async endTrial(packageId: string, number: number): Promise<void> {
    await setTrial(this.#database, packageId, number, null);
  }

  /** Counts a failed start of a generation on trial. Undefined if it is not on trial. */
  countFailedStart(packageId: string, number: number, reason: string): Promise<GenerationTrial | undefined> {
    return this.#database.transaction().execute(async (transaction) => {
      const row = await transaction
        .selectFrom('generation')
        .select('trial')
        .where('package', '=', packageId)
        .where('number', '=', number)
        .executeTakeFirst();
      const before = trialOf(row?.trial ?? null);
      if (before?.state !== 'open') return undefined;
      const trial: GenerationTrial = { ...before, failures: before.failures + 1, reason };
      await setTrial(transaction, packageId, number, JSON.stringify(trial));
      return trial;
    });
  }

  /** Deletes old generations with their agreements. The current one cannot be deleted. */
  removeGenerations(generations: readonly StoredGeneration[]): Promise<void> {
    return this.#database.transaction().execute(async (transaction) => {
      for (const { package: id, number } of generations)
        await transaction
          .deleteFrom('generation')
          .where('package', '=', id)
          .where('number', '=', number)
          .execute();
      await removeUnusedAgreements(transaction, generations);
    });
  }

  /** Deletes a package with all its generations and agreements. */
  remove(packageId: string): Promise<void> {
    return this.#database.transaction().execute(async (transaction) => {
      const rows = await transaction
        .selectFrom('generation')
        .selectAll()
        .where('package', '=', packageId)
        .execute();
      await transaction.deleteFrom('installation').where('package', '=', packageId).execute();
      await transaction.deleteFrom('generation').where('package', '=', packageId).execute();
      await removeUnusedAgreements(transaction, rows.map(generationOf));
    });
  }
}

function trialOf(text: string | null): GenerationTrial | null {
  return text === null ? null : (JSON.parse(text) as GenerationTrial);
}

/** Two generations may have the same files, and then share an agreement's place. */
async function removeUnusedAgreements(
  transaction: Transaction<StateTables>,
  removed: readonly StoredGeneration[],
): Promise<void> {
  const left = await transaction.selectFrom('generation').select('agreement').execute();
  const used = new Set(left.map((it) => (JSON.parse(it.agreement) as GenerationAgreement).manifest));
  for (const { agreement } of removed) {
    if (used.has(agreement.manifest)) continue;
    await transaction.deleteFrom('agreement').where('manifest', '=', agreement.manifest).execute();
    await transaction.deleteFrom('announcement').where('manifest', '=', agreement.manifest).execute();
  }
}

function rootColumn(roots: Installation['roots']): string | null {
  return roots === null ? null : JSON.stringify(roots);
}

function installationOf(row: InstallationTable): Installation {
  return {
    package: row.package,
    current: row.current,
    state: row.state as Installation['state'],
    roots: row.root === null ? null : (JSON.parse(row.root) as string[]),
    installedAt: row.installed_at,
  };
}

function generationOf(row: GenerationTable): StoredGeneration {
  return {
    package: row.package,
    number: row.number,
    version: row.version,
    source: row.source,
    locked: JSON.parse(row.locked) as Generation['locked'],
    tree: row.tree,
    manifest: row.manifest,
    digest: row.digest,
    plan: row.plan,
    lock: JSON.parse(row.lock) as Generation['lock'],
    grants: JSON.parse(row.grants) as string[],
    environments: JSON.parse(row.environments) as string[],
    images: JSON.parse(row.images) as string[],
    agreement: JSON.parse(row.agreement) as GenerationAgreement,
    smoke: JSON.parse(row.smoke) as SmokeResult,
    trial: trialOf(row.trial),
    createdAt: row.created_at,
    createdBy: row.created_by,
  };
}

function rowOf(it: StoredGeneration): GenerationTable {
  return {
    package: it.package,
    number: it.number,
    version: it.version,
    source: it.source,
    locked: JSON.stringify(it.locked),
    tree: it.tree,
    manifest: it.manifest,
    digest: it.digest,
    plan: it.plan,
    lock: JSON.stringify(it.lock),
    grants: JSON.stringify(it.grants),
    environments: JSON.stringify(it.environments),
    images: JSON.stringify(it.images),
    agreement: JSON.stringify(it.agreement),
    smoke: JSON.stringify(it.smoke),
    trial: it.trial === null ? null : JSON.stringify(it.trial),
    created_at: it.createdAt,
    created_by: it.createdBy,
  };
}
