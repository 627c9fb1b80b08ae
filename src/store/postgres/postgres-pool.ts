import pg from 'pg';
import { isLostConnection, postgresFailure } from './postgres-failure.js';
import type { PostgresPlace } from './postgres-url.js';

/** What a statement may take. Longer means that the database does not answer. */
const statementMs = 30_000;
const connectMs = 5000;

const types = pg.types.builtins;

/** Numbers as SQLite returns them, and bytes that are not a view of a larger buffer. */
const parsers: Readonly<Record<number, (text: string) => unknown>> = {
  [types.INT8]: safeInteger,
  [types.NUMERIC]: Number,
  [types.BYTEA]: (text) => new Uint8Array(pg.types.getTypeParser(types.BYTEA)(text) as Uint8Array),
};

/** A result as Kysely expects it. */
interface Result<Row> {
  readonly command: 'UPDATE' | 'DELETE' | 'INSERT' | 'SELECT' | 'MERGE';
  readonly rowCount: number;
  readonly rows: Row[];
}

export interface PostgresClient {
  query<Row>(sql: string, values?: readonly unknown[]): Promise<Result<Row>>;
  release(): void;
}

type Connected = ((error: Error) => void) | ((error: null, client: pg.Client) => void);

/** Closes a connection that could not be made. The library leaves it open if a password is missing, until the server closes it. */
class ClosingClient extends pg.Client {
  override connect(): Promise<pg.Client>;
  override connect(callback: Connected): void;
  override connect(callback?: Connected): Promise<pg.Client> | undefined {
    const connected = super.connect().catch((error) => {
      this.end().catch(() => {});
      throw error;
    });
    if (callback === undefined) return connected;
    const done = callback as (error: Error | null, client?: pg.Client) => void;
    connected.then((client) => done(null, client), done);
    return undefined;
  }
}

/**
 * Connections to one database, each used by one at a time, in the order in which they asked. A lost connection is not used
 * again; the next use makes a new one. No statement depends on an earlier one of the same connection, except inside a
 * transaction, so a pooler may be in between.
 */
export class PostgresPool {
  readonly #pool: pg.Pool;
  readonly #place: PostgresPlace;

  constructor(place: PostgresPlace, max: number) {
    this.#place = place;
    this.#pool = new pg.Pool({
      connectionString: place.url,
      Client: ClosingClient,
      max,
      connectionTimeoutMillis: connectMs,
      query_timeout: statementMs,
      keepAlive: true,
      application_name: 'toolwharf',
      types: {
        getTypeParser: (oid: number, format?: string) =>
          (format !== 'binary' && parsers[oid]) || pg.types.getTypeParser(oid, format as 'text'),
      } as pg.CustomTypesConfig,
    });
    // An idle connection that breaks is replaced by the next use.
    this.#pool.on('error', () => {});
  }

  async connect(): Promise<PostgresClient> {
    const client = await this.#guarded(() => this.#pool.connect());
    let isLost = false;
    // Between two statements of a transaction; the next one fails.
    const onError = () => {
      isLost = true;
    };
    client.on('error', onError);
    return {
      query: async <Row>(sql: string, values: readonly unknown[] = []) => {
        try {
          return (await client.query(sql, [...values])) as unknown as Result<Row>;
        } catch (error) {
          isLost ||= isLostConnection(error);
          throw postgresFailure(error, this.#place.shown);
        }
      },
      release: () => {
        client.off('error', onError);
        client.release(isLost);
      },
    };
  }

  /** One statement, which is a transaction by itself. */
  async run<Row>(sql: string, values: readonly unknown[] = []): Promise<readonly Row[]> {
    const client = await this.connect();
    try {
      return (await client.query<Row>(sql, values)).rows;
    } finally {
      client.release();
    }
  }

  /** All of it or nothing. */
  async transaction<T>(work: (client: Pick<PostgresClient, 'query'>) => Promise<T>): Promise<T> {
    const client = await this.connect();
    try {
      await client.query('begin');
      const result = await work(client);
      await client.query('commit');
      return result;
    } catch (error) {
      await client.query('rollback').catch(() => {});
      throw error;
    } finally {
      client.release();
    }
  }

  async end(): Promise<void> {
    await this.#pool.end();
  }

  async #guarded<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw postgresFailure(error, this.#place.shown);
    }
  }
}

/** All integers of the store are times, sizes or counts. */
function safeInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value))
    throw new Error(`the database contains a number that is too large: ${text}`);
  return value;
}
