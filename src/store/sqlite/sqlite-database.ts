import { chmodSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import type { Transaction } from 'kysely';
import { HostError } from '../../model/host-error.js';
import { Database } from '../database.js';
import type { LimitStatements, LimitTime } from '../limit-statements.js';
import type { StateTables } from '../state-tables.js';
import { openSqlite, type SqliteConnection } from './sqlite.js';
import { SqliteAudit } from './sqlite-audit.js';
import { Mutex, sqliteDialect } from './sqlite-dialect.js';
import { SqliteErasing } from './sqlite-erasing.js';
import { SqliteLimits } from './sqlite-limits.js';
import { migrate } from './sqlite-migrations.js';
import { SqliteParseCache } from './sqlite-parse-cache.js';
import { Synchronous, type SynchronousMode } from './synchronous.js';

/** The store in one file. Queries are built with Kysely, or run on the connection itself. */
export class SqliteDatabase extends Database {
  readonly audit = new SqliteAudit(this);
  readonly erasing = new SqliteErasing(this);
  readonly parseCache = new SqliteParseCache(this);
  readonly #connection: SqliteConnection;
  readonly #mutex: Mutex;
  readonly #synchronous: Synchronous;
  readonly #path: string;
  #log: Promise<FileHandle> | undefined;

  constructor(connection: SqliteConnection, path: string) {
    const mutex = new Mutex();
    const synchronous = new Synchronous(connection);
    super({ dialect: sqliteDialect(connection, mutex, () => synchronous.use('full')) });
    this.#connection = connection;
    this.#mutex = mutex;
    this.#synchronous = synchronous;
    this.#path = path;
  }

  limits(time: LimitTime): LimitStatements {
    return new SqliteLimits(this, time);
  }

  /**
   * Runs `work` with exclusive use of the SQLite connection. For frequent statements, where building a query costs more
   * than running it. `work` must be synchronous. Its commits are on disk when they return, with all commits before them.
   */
  withConnection<T>(work: (connection: SqliteConnection) => T): Promise<T> {
    return this.#exclusive('full', work);
  }

  /** The same, with commits that survive the end of this process, but a power loss only after `syncLog`. */
  withDelayedSync<T>(work: (connection: SqliteConnection) => T): Promise<T> {
    return this.#exclusive('normal', work);
  }

  withDelayedTransaction<T>(work: (transaction: Transaction<StateTables>) => Promise<T>): Promise<T> {
    return this.connection().execute(async (connection) => {
      this.#synchronous.use('normal');
      return connection.transaction().execute(work);
    });
  }

  async #exclusive<T>(mode: SynchronousMode, work: (connection: SqliteConnection) => T): Promise<T> {
    // The work ends before anybody else can ask for the lock.
    const release = this.#mutex.isFree ? undefined : await this.#mutex.lock();
    try {
      this.#synchronous.use(mode);
      return work(this.#connection);
    } finally {
      release?.();
    }
  }

  /** Does not block the host. */
  async syncLog(): Promise<void> {
    this.#log ??= open(`${this.#path}-wal`, 'r+');
    await (await this.#log).datasync();
  }

  override async destroy(): Promise<void> {
    await super.destroy();
    await (await this.#log)?.close();
  }
}

export const databaseFile = 'toolwharf.db';

/** Opens the state database; creates or migrates it if needed. Only the owner can read it. */
export function openDatabase(state: string): SqliteDatabase {
  const path = join(state, databaseFile);
  try {
    const connection = openSqlite(path);
    chmodSync(path, 0o600);
    // `synchronous = full`: a commit is on disk when it returns. The audit log needs this to record a call before its effect.
    connection.exec(
      'pragma busy_timeout = 5000; pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on;',
    );
    migrate(connection);
    return new SqliteDatabase(connection, path);
  } catch (error) {
    if (error instanceof HostError) throw error;
    throw new HostError('state_unusable', `the database in ${state} cannot be opened`, {
      cause: error,
      hint: 'check that you own the folder and can write to it, or use another one with --state',
    });
  }
}
