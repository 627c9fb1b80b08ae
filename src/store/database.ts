import { Kysely, type Transaction } from 'kysely';
import type { AuditStatements } from './audit-statements.js';
import type { ErasingStatements } from './erasing-statements.js';
import type { LimitStatements, LimitTime } from './limit-statements.js';
import type { ParseCacheStatements } from './parse-cache-statements.js';
import type { StateTables } from './state-tables.js';

/**
 * The store of one state. Most tables are read and written with queries of Kysely, the same for every database. Each
 * dialect, in a folder of its own, adds what it must do in its own way. `test/support/contracts/store.ts` checks all of it.
 *
 * Uses of the store take place one after the other, in the order in which they began; a transaction makes others wait. The
 * audit log may have an order of its own.
 */
export abstract class Database extends Kysely<StateTables> {
  abstract readonly audit: AuditStatements;
  abstract readonly erasing: ErasingStatements;
  abstract readonly parseCache: ParseCacheStatements;

  /** `time` is for a database that has no clock of its own. Each host uses one of them. */
  abstract limits(time: LimitTime): LimitStatements;

  /** A transaction that survives the end of this process, but a power loss only after `syncLog`. */
  abstract withDelayedTransaction<T>(work: (transaction: Transaction<StateTables>) => Promise<T>): Promise<T>;

  /** Waits until all commits so far are on the disk. */
  abstract syncLog(): Promise<void>;
}
