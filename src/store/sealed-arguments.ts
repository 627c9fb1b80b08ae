import type { SealedArgumentsTable } from './call-tables.js';
import type { Database } from './database.js';

/** A row with the audit entry of its call. */
export interface SealedArgumentsEntry {
  readonly row: SealedArgumentsTable;
  /** Body of the intent entry. Undefined if the audit log has no such entry. */
  readonly intent: string | undefined;
}

/** Sealed arguments of calls. This class cannot open them. */
export class SealedArgumentRows {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async get(call: string): Promise<SealedArgumentsEntry | undefined> {
    const row = await this.#database
      .selectFrom('sealed_arguments')
      .selectAll()
      .where('call_id', '=', call)
      .executeTakeFirst();
    if (row === undefined) return undefined;
    const entry = await this.#database
      .selectFrom('audit')
      .select('body')
      .where('seq', '=', row.audit_seq)
      .where('kind', '=', 'intent')
      .executeTakeFirst();
    // One of the SQLite libraries returns blobs as an ArrayBuffer.
    const bytes = { nonce: new Uint8Array(row.nonce), sealed: new Uint8Array(row.sealed) };
    return { row: { ...row, ...bytes }, intent: entry?.body };
  }

  /** Number of rows older than `before` (milliseconds since 1970). */
  async count(before: number): Promise<number> {
    const { count } = await this.#database
      .selectFrom('sealed_arguments')
      .select((it) => it.fn.countAll().as('count'))
      .where('at', '<', before)
      .executeTakeFirstOrThrow();
    return Number(count);
  }

  /** Erases older rows. Returns their number. */
  forget(before: number): Promise<number> {
    return this.#database.erasing.sealedArguments(before);
  }
}
