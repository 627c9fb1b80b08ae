import { PostgresDialect, type PostgresPoolClient, type Transaction } from 'kysely';
import { Database } from '../database.js';
import type { LimitStatements } from '../limit-statements.js';
import type { StateTables } from '../state-tables.js';
import { PostgresAudit } from './postgres-audit.js';
import { PostgresErasing } from './postgres-erasing.js';
import { PostgresLimits } from './postgres-limits.js';
import { migratePostgres } from './postgres-migrations.js';
import { PostgresParseCache } from './postgres-parse-cache.js';
import { PostgresPool } from './postgres-pool.js';
import type { PostgresPlace } from './postgres-url.js';

/**
 * The store in PostgreSQL. Queries of Kysely share one connection, so they take place one after the other as in SQLite. The
 * audit log and the limits have another one each: neither waits for a transaction.
 */
export class PostgresDatabase extends Database {
  readonly audit: PostgresAudit;
  readonly erasing: PostgresErasing;
  readonly parseCache: PostgresParseCache;
  readonly #pool: PostgresPool;
  readonly #auditPool: PostgresPool;
  readonly #limitPool: PostgresPool;

  constructor(place: PostgresPlace, pool: PostgresPool) {
    super({
      dialect: new PostgresDialect({
        pool: {
          connect: () => pool.connect() as unknown as Promise<PostgresPoolClient>,
          // Kysely does not call it if there was no query.
          end: async () => {},
        },
      }),
    });
    this.#pool = pool;
    this.#auditPool = new PostgresPool(place, 1);
    this.#limitPool = new PostgresPool(place, 1);
    this.audit = new PostgresAudit(this.#auditPool);
    this.erasing = new PostgresErasing(pool);
    this.parseCache = new PostgresParseCache(pool);
  }

  limits(): LimitStatements {
    return new PostgresLimits(this, this.#limitPool);
  }

  /** Waits for the disk as every transaction. */
  withDelayedTransaction<T>(work: (transaction: Transaction<StateTables>) => Promise<T>): Promise<T> {
    return this.transaction().execute(work);
  }

  /** Every commit but that of a limit is on disk when it returns, and that of the next audit entry includes it. */
  async syncLog(): Promise<void> {}

  override async destroy(): Promise<void> {
    await super.destroy();
    await this.#pool.end();
    await this.#auditPool.end();
    await this.#limitPool.end();
  }
}

/** Opens a database; creates or migrates its tables if needed. */
export async function openPostgres(place: PostgresPlace): Promise<PostgresDatabase> {
  const pool = new PostgresPool(place, 1);
  try {
    await migratePostgres(pool, place.shown);
  } catch (error) {
    await pool.end();
    throw error;
  }
  return new PostgresDatabase(place, pool);
}
