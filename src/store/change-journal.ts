import type { Database } from './database.js';

/** What an unfinished change has made, or a removal must delete. All of it goes away if no generation uses it. */
export interface ChangeMade {
  /** Digests of trees in the content store. */
  readonly trees: readonly string[];
  /** Folders and files with language packages. */
  readonly environments: readonly string[];
  readonly images: readonly string[];
  /** Path of the container engine that has the images. */
  readonly engine?: string | undefined;
}

export interface JournalEntry {
  readonly id: string;
  readonly package: string;
  readonly operation: string;
  readonly made: ChangeMade;
}

type NewEntry = Omit<JournalEntry, 'made'> & { readonly made?: Partial<ChangeMade> };

const nothingMade: ChangeMade = { trees: [], environments: [], images: [] };

/** The journal of changes: an entry is written before anything is made, and deleted with the switch. */
export class ChangeJournal {
  readonly #database: Database;
  readonly #now: () => number;

  constructor(database: Database, now: () => number) {
    this.#database = database;
    this.#now = now;
  }

  /**
   * The entry survives the end of this process. If nothing is made yet, a power loss may lose it: nothing has to be undone
   * then, and `add` waits until both are on disk.
   */
  async begin({ made, ...entry }: NewEntry): Promise<void> {
    const row = { ...entry, made: JSON.stringify({ ...nothingMade, ...made }), at: this.#now() };
    if (made !== undefined) await this.#database.insertInto('change_journal').values(row).execute();
    else
      await this.#database.withDelayedTransaction(async (transaction) => {
        await transaction.insertInto('change_journal').values(row).execute();
      });
  }

  /** Call it before the thing is made: after a crash in between, undoing finds nothing, which is fine. */
  async add(id: string, more: Partial<ChangeMade>): Promise<void> {
    await this.#database.transaction().execute(async (transaction) => {
      const row = await transaction
        .selectFrom('change_journal')
        .select('made')
        .where('id', '=', id)
        .executeTakeFirstOrThrow();
      const made = JSON.parse(row.made) as ChangeMade;
      const joined: ChangeMade = {
        trees: [...made.trees, ...(more.trees ?? [])],
        environments: [...made.environments, ...(more.environments ?? [])],
        images: [...made.images, ...(more.images ?? [])],
        engine: more.engine ?? made.engine,
      };
      await transaction
        .updateTable('change_journal')
        .set({ made: JSON.stringify(joined) })
        .where('id', '=', id)
        .execute();
    });
  }

  async get(id: string): Promise<JournalEntry | undefined> {
    return (await this.list()).find((it) => it.id === id);
  }

  /** Oldest first. */
  async list(): Promise<readonly JournalEntry[]> {
    const rows = await this.#database.selectFrom('change_journal').selectAll().orderBy('at').execute();
    return rows.map(({ id, package: packageId, operation, made }) => ({
      ...{ id, package: packageId, operation },
      made: JSON.parse(made) as ChangeMade,
    }));
  }

  async end(id: string): Promise<void> {
    await this.#database.deleteFrom('change_journal').where('id', '=', id).execute();
  }
}
