import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { Kysely } from 'kysely';
import { HostError } from '../model/host-error.js';
import { migrate } from './migrations.js';
import { openSqlite, type SqliteConnection } from './sqlite.js';
import { Mutex, sqliteDialect } from './sqlite-dialect.js';
import type { StateTables } from './state-tables.js';

/** The state database. Queries are built with Kysely, or run on the connection itself. */
export class Database extends Kysely<StateTables> {
  readonly #connection: SqliteConnection;
  readonly #mutex: Mutex;

  constructor(connection: SqliteConnection) {
    const mutex = new Mutex();
    super({ dialect: sqliteDialect(connection, mutex) });
    this.#connection = connection;
    this.#mutex = mutex;
  }

  /**
   * Runs `work` with exclusive use of the SQLite connection. For frequent statements, where building a query costs more
   * than running it. `work` must be synchronous.
   */
  async withConnection<T>(work: (connection: SqliteConnection) => T): Promise<T> {
    const release = await this.#mutex.lock();
    try {
      return work(this.#connection);
    } finally {
      release();
    }
  }
}

export const databaseFile = 'toolwharf.db';

/** Opens the state database; creates or migrates it if needed. Only the owner can read it. */
export function openDatabase(state: string): Database {
  const path = join(state, databaseFile);
  try {
    const connection = openSqlite(path);
    chmodSync(path, 0o600);
    // `synchronous = full`: a commit is on disk when it returns. The audit log needs this to record a call before its effect.
    connection.exec(
      'pragma busy_timeout = 5000; pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on;',
    );
    migrate(connection);
    return new Database(connection);
  } catch (error) {
    if (error instanceof HostError) throw error;
    throw new HostError('state_unusable', `the database in ${state} cannot be opened`, {
      cause: error,
      hint: 'check that you own the folder and can write to it, or use another one with --state',
    });
  }
}
