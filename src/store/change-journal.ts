import type { Database } from './database.js';
import type { SecretTable } from './state-tables.js';

/** What an unfinished change has made, or a removal must delete. All of it goes away if no generation uses it. */
export interface ChangeMade {
  /** Digests of trees in the content store. */
  readonly trees: readonly string[];
  /** Folders and files with language packages. */
  readonly environments: readonly string[];
  readonly images: readonly string[];
  /** Values that were replaced, still sealed; null: there was none before. */
  readonly secrets: readonly ReplacedSecret[];
}

export interface ReplacedSecret {
  readonly package: string;
  readonly slot: string;
  readonly before: SealedText | null;
}

/** A sealed row of the vault with its bytes as base64. */
type SealedText = Omit<SecretTable, 'nonce' | 'sealed'> & { readonly nonce: string; readonly sealed: string };

export interface JournalEntry {
  readonly id: string;
  readonly package: string;
  readonly operation: string;
  readonly made: ChangeMade;
}

type NewEntry = Omit<JournalEntry, 'made'> & { readonly made?: Partial<ChangeMade> };

const nothingMade: ChangeMade = { trees: [], environments: [], images: [], secrets: [] };

/** The journal of changes: an entry is written before anything is made, and deleted with the switch. */
export class ChangeJournal {
  readonly #database: Database;
  readonly #now: () => number;

  constructor(database: Database, now: () => number) {
    this.#database = database;
    this.#now = now;
  }

  async begin({ made = {}, ...entry }: NewEntry): Promise<void> {
    await this.#database
      .insertInto('change_journal')
      .values({ ...entry, made: JSON.stringify({ ...nothingMade, ...made }), at: this.#now() })
      .execute();
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
        secrets: [...made.secrets, ...(more.secrets ?? [])],
      };
      await transaction
        .updateTable('change_journal')
        .set({ made: JSON.stringify(joined) })
        .where('id', '=', id)
        .execute();
    });
  }

  /** Remembers the value of a slot before it is replaced. */
  async addSecret(id: string, packageId: string, slot: string): Promise<void> {
    const row = await this.#database
      .selectFrom('secret')
      .selectAll()
      .where('package', '=', packageId)
      .where('slot', '=', slot)
      .executeTakeFirst();
    const before = row === undefined ? null : sealedText(row);
    await this.add(id, { secrets: [{ package: packageId, slot, before }] });
  }

  /** Puts replaced values back and ends the entry: all of it or nothing. */
  async undo({ id, made }: JournalEntry): Promise<void> {
    await this.#database.transaction().execute(async (transaction) => {
      // Backwards: of a slot that was set twice, the first value before counts.
      for (const { package: packageId, slot, before } of [...made.secrets].reverse()) {
        await transaction
          .deleteFrom('secret')
          .where('package', '=', packageId)
          .where('slot', '=', slot)
          .execute();
        if (before === null) continue;
        const row = {
          ...before,
          nonce: Buffer.from(before.nonce, 'base64'),
          sealed: Buffer.from(before.sealed, 'base64'),
        };
        await transaction.insertInto('secret').values(row).execute();
      }
      await transaction.deleteFrom('change_journal').where('id', '=', id).execute();
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

function sealedText({ nonce, sealed, ...row }: SecretTable): SealedText {
  const text = (bytes: Uint8Array) => Buffer.from(new Uint8Array(bytes)).toString('base64');
  return { ...row, nonce: text(nonce), sealed: text(sealed) };
}
