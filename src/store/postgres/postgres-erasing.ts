import type { ErasingStatements } from '../erasing-statements.js';
import type { PostgresPool } from './postgres-pool.js';

/** The bytes stay in the files of the database until it reuses their place; see docs/design/store.md. */
export class PostgresErasing implements ErasingStatements {
  readonly #pool: PostgresPool;

  constructor(pool: PostgresPool) {
    this.#pool = pool;
  }

  async repeatableCall(call: string): Promise<void> {
    await this.#pool.run('delete from repeatable_call where call = $1', [call]);
  }

  async sealedArguments(before: number): Promise<number> {
    const rows = await this.#pool.run('delete from sealed_arguments where at < $1 returning 1 as one', [
      before,
    ]);
    return rows.length;
  }
}
