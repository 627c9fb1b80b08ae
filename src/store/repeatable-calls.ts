import type { RepeatableCallTable } from './call-tables.js';
import type { Database } from './database.js';

/** Calls that can be repeated. This class cannot open their arguments. */
export class RepeatableCallRows {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Oldest first. */
  async list(): Promise<RepeatableCallTable[]> {
    const rows = await this.#database.selectFrom('repeatable_call').selectAll().orderBy('at').execute();
    // One of the SQLite libraries returns blobs as an ArrayBuffer.
    return rows.map((it) => ({ ...it, nonce: new Uint8Array(it.nonce), sealed: new Uint8Array(it.sealed) }));
  }

  /** Stores the answer of a repeated call, whose own row ended with its outcome. */
  async addAnswer(row: RepeatableCallTable): Promise<void> {
    await this.#database.insertInto('repeatable_call').values(row).execute();
  }

  async remove(call: string): Promise<void> {
    await this.#database.erasing.repeatableCall(call);
  }
}
