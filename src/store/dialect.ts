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
import type { SqliteConnection, SqlValue } from './sqlite.js';

/** Kysely over one SQLite connection. Every transaction takes the write lock at once (BEGIN IMMEDIATE). */
export function sqliteDialect(connection: SqliteConnection, turns: Turns): Dialect {
  return {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new SqliteDriver(connection, turns),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  };
}

/** One connection, one user at a time: a transaction keeps the others waiting. */
export class Turns {
  #last: Promise<void> = Promise.resolve();

  /** Resolves with the way to hand the turn on. */
  async take(): Promise<() => void> {
    const before = this.#last;
    let release: () => void = () => {};
    this.#last = new Promise((resolve) => {
      release = resolve;
    });
    await before;
    return release;
  }
}

class SqliteDriver implements Driver {
  readonly #connection: SqliteConnection;
  readonly #turns: Turns;
  #release: () => void = () => {};

  constructor(connection: SqliteConnection, turns: Turns) {
    this.#connection = connection;
    this.#turns = turns;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    this.#release = await this.#turns.take();
    return new Adapter(this.#connection);
  }

  async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('begin immediate'));
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('commit'));
  }

  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('rollback'));
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
