import type { ErasingStatements } from '../erasing-statements.js';
import type { ExclusiveUse } from './exclusive-use.js';
import { eraseRepeatableCall } from './sealed-rows.js';

/** The bytes are overwritten in the file, and in the WAL unless another process reads it right now. */
export class SqliteErasing implements ErasingStatements {
  readonly #database: ExclusiveUse;

  constructor(database: ExclusiveUse) {
    this.#database = database;
  }

  repeatableCall(call: string): Promise<void> {
    return this.#database.withConnection((connection) => eraseRepeatableCall(connection, call));
  }

  sealedArguments(before: number): Promise<number> {
    return this.#database.withConnection((connection) => {
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
