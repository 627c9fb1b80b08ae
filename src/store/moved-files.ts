import type { Database } from './database.js';
import type { MovedFileTable } from './state-tables.js';

/** A file or folder that the host moved out of a mounted folder. */
export interface StoredMovedFile {
  readonly id: string;
  /** The mounted folder. */
  readonly folder: string;
  /** Where it was. */
  readonly path: string;
  /** Where it is now. */
  readonly stored: string;
  readonly kind: 'file' | 'folder' | 'link';
  /** Packages whose programs could write to the folder at that time. */
  readonly packages: readonly string[];
  /** Milliseconds since 1970. */
  readonly at: number;
}

export class MovedFileRows {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async add({ packages, ...row }: StoredMovedFile): Promise<void> {
    await this.#database
      .insertInto('moved_file')
      .values({ ...row, packages: JSON.stringify(packages) })
      .execute();
  }

  /** Oldest first. */
  async list(): Promise<readonly StoredMovedFile[]> {
    const rows = await this.#database
      .selectFrom('moved_file')
      .selectAll()
      .orderBy('at')
      .orderBy('id')
      .execute();
    return rows.map(storedMovedFileOf);
  }

  async get(id: string): Promise<StoredMovedFile | undefined> {
    const row = await this.#database
      .selectFrom('moved_file')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirst();
    return row && storedMovedFileOf(row);
  }

  async remove(id: string): Promise<void> {
    await this.#database.deleteFrom('moved_file').where('id', '=', id).execute();
  }
}

function storedMovedFileOf({ packages, kind, ...row }: MovedFileTable): StoredMovedFile {
  return { ...row, kind: kind as StoredMovedFile['kind'], packages: JSON.parse(packages) as string[] };
}
