import type { RepeatableCallTable } from './call-tables.js';
import type { Database } from './database.js';
import type { SqliteConnection } from './sqlite.js';

/** What happens to the row of a call together with an entry of the audit log. */
export type RepeatableCallChange =
  /** With the intent: from now on the call can be repeated. */
  | { readonly kind: 'started'; readonly row: RepeatableCallTable }
  /** With the intent of a repeated call. */
  | { readonly kind: 'started-again'; readonly call: string }
  /** With the outcome: it is known, and nothing of the call is left. */
  | { readonly kind: 'ended'; readonly call: string };

const insertion = `insert into repeatable_call (call, principal, client, tool, definition, arguments_digest, policy,
  credentials, digest, approval, timeout_ms, starts, answered_at, key, nonce, sealed, at)
  values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;

/** Runs in the transaction of the entry: both are stored, or neither. */
export function changeRepeatableCall(connection: SqliteConnection, change: RepeatableCallChange): void {
  switch (change.kind) {
    case 'started': {
      const it = change.row;
      const binding = [it.principal, it.client, it.tool, it.definition, it.arguments_digest, it.policy];
      const rest = [it.credentials, it.digest, it.approval, it.timeout_ms, it.starts, it.answered_at];
      connection.run(insertion, [it.call, ...binding, ...rest, it.key, it.nonce, it.sealed, it.at]);
      return;
    }
    case 'started-again':
      connection.run('update repeatable_call set starts = starts + 1 where call = ?', [change.call]);
      return;
    case 'ended':
      erase(connection, change.call);
      connection.run('delete from unknown_outcome where call = ?', [change.call]);
      return;
  }
}

/** The bytes are overwritten in the file. */
function erase(connection: SqliteConnection, call: string): void {
  connection.exec('pragma secure_delete = on');
  try {
    connection.run('delete from repeatable_call where call = ?', [call]);
  } finally {
    connection.exec('pragma secure_delete = off');
  }
}

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
    await this.#database.withConnection((connection) => erase(connection, call));
  }
}
