import { type Database, exclusively, type SealedArgumentsTable } from './database.js';
import type { SqliteConnection } from './sqlite.js';

/** What is kept beside a line of the record. */
export type KeptBeside = Omit<SealedArgumentsTable, 'line'>;

const insertion =
  'insert into sealed_arguments (call_id, line, key, nonce, sealed, at) values (?, ?, ?, ?, ?, ?)';

/** Within the commit of the line that speaks of the call: both are there, or neither. */
export function keepBeside(connection: SqliteConnection, kept: KeptBeside, line: number): void {
  const { call_id, key, nonce, sealed, at } = kept;
  connection.run(insertion, [call_id, line, key, nonce, sealed, at]);
}

/** A row, with what the record says of the call. */
export interface KeptArguments {
  readonly row: SealedArgumentsTable;
  /** Undefined where the record has no such line. */
  readonly intent: string | undefined;
}

/** Arguments of calls, sealed. This class cannot open them. */
export class SealedArgumentRows {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async get(call: string): Promise<KeptArguments | undefined> {
    const row = await this.#database
      .selectFrom('sealed_arguments')
      .selectAll()
      .where('call_id', '=', call)
      .executeTakeFirst();
    if (row === undefined) return undefined;
    const line = await this.#database
      .selectFrom('audit')
      .select('body')
      .where('seq', '=', row.line)
      .where('kind', '=', 'intent')
      .executeTakeFirst();
    // One of the libraries hands bytes out as a bare buffer.
    const bytes = { nonce: new Uint8Array(row.nonce), sealed: new Uint8Array(row.sealed) };
    return { row: { ...row, ...bytes }, intent: line?.body };
  }

  /** How many there are from before a time. */
  async count(before: number): Promise<number> {
    const { count } = await this.#database
      .selectFrom('sealed_arguments')
      .select((it) => it.fn.countAll().as('count'))
      .where('at', '<', before)
      .executeTakeFirstOrThrow();
    return Number(count);
  }

  /** Their bytes are overwritten in the file, and in its log unless somebody reads in it at this moment. */
  forget(before: number): Promise<number> {
    return exclusively(this.#database, (connection) => {
      connection.exec('pragma secure_delete = on');
      try {
        const { changes } = connection.run('delete from sealed_arguments where at < ?', [before]);
        connection.exec('pragma busy_timeout = 0');
        connection.all('pragma wal_checkpoint(truncate)', []);
        return changes;
      } finally {
        connection.exec('pragma busy_timeout = 5000; pragma secure_delete = off;');
      }
    });
  }
}
