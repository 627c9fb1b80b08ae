import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import { endTransaction, type SqliteConnection, type SqlValue } from './sqlite.js';

/**
 * Kysely over one SQLite connection. Every transaction takes the write lock when it starts (BEGIN IMMEDIATE). `onAcquired`:
 * called before each use of the connection.
 */
export function sqliteDialect(connection: SqliteConnection, mutex: Mutex, onAcquired: () => void): Dialect {
  return {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new SqliteDriver(connection, mutex, onAcquired),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  };
}

/** Serializes use of the one connection: a transaction makes others wait. */
export class Mutex {
  /** Of the last one who has the lock or waits for it. Undefined: it is free. */
  #last: Promise<void> | undefined;

  get isFree(): boolean {
    return this.#last === undefined;
  }

  /** Resolves when the lock is free. Call the returned function to release it. */
  async lock(): Promise<() => void> {
    const before = this.#last;
    let resolve: () => void = () => {};
    const released = new Promise<void>((it) => {
      resolve = it;
    });
    this.#last = released;
    await before;
    return () => {
      if (this.#last === released) this.#last = undefined;
      resolve();
    };
  }
}

class SqliteDriver implements Driver {
  readonly #connection: SqliteConnection;
  readonly #mutex: Mutex;
  readonly #onAcquired: () => void;
  #release: () => void = () => {};

  constructor(connection: SqliteConnection, mutex: Mutex, onAcquired: () => void) {
    this.#connection = connection;
    this.#mutex = mutex;
    this.#onAcquired = onAcquired;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    const release = await this.#mutex.lock();
    try {
      this.#onAcquired();
    } catch (error) {
      release();
      throw error;
    }
    this.#release = release;
    return new Adapter(this.#connection);
  }

  async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('begin immediate'));
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('commit'));
  }

  async rollbackTransaction(): Promise<void> {
    endTransaction(this.#connection);
  }

  async releaseConnection(): Promise<void> {
    this.#release();
  }

  async destroy(): Promise<void> {
    this.#connection.close();
  }
}

class Adapter implements DatabaseConnection {
  readonly #connection: SqliteConnection;

  constructor(connection: SqliteConnection) {
    this.#connection = connection;
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    const parameters = query.parameters as readonly SqlValue[];
    const reads = query.query.kind === 'SelectQueryNode' || /\breturning\b/i.test(query.sql);
    if (reads) return { rows: this.#connection.all(query.sql, parameters) as Row[] };
    const { changes } = this.#connection.run(query.sql, parameters);
    return { rows: [], numAffectedRows: BigInt(changes) };
  }

  async *streamQuery<Row>(query: CompiledQuery): AsyncGenerator<QueryResult<Row>> {
    yield await this.executeQuery<Row>(query);
  }
}
