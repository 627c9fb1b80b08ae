import type { SqliteConnection } from './sqlite.js';

/** Uses of the one connection; see `SqliteDatabase`. */
export interface ExclusiveUse {
  withConnection<T>(work: (connection: SqliteConnection) => T): Promise<T>;
  withDelayedSync<T>(work: (connection: SqliteConnection) => T): Promise<T>;
}
