import { type Kysely, sql, type Transaction } from 'kysely';
import { readingAt, releaseUses, usesAt } from '../limit-rows.js';
import {
  cleanupMs,
  type LimitStatements,
  type MeterReading,
  type Reservation,
  type ReserveResult,
  tolerance,
  type WindowUse,
} from '../limit-statements.js';
import { type Meter, stepMs } from '../meter.js';
import type { StateTables } from '../state-tables.js';
import type { PostgresPool } from './postgres-pool.js';

type StoredResult =
  | { readonly at: readonly number[] }
  | { readonly meter: number; readonly used: number; readonly waitMs: number | null };

/** Limits by the clock of the database, which all hosts share. */
export class PostgresLimits implements LimitStatements {
  readonly #database: Kysely<StateTables>;
  readonly #pool: PostgresPool;

  constructor(database: Kysely<StateTables>, pool: PostgresPool) {
    this.#database = database;
    this.#pool = pool;
  }

  async reserve(calls: readonly (readonly Meter[])[]): Promise<readonly ReserveResult[]> {
    const meters = calls.map((call) => call.map((it) => ({ ...it, step: stepMs(it) })));
    const [row] = await this.#pool.run<{ results: readonly StoredResult[] }>(
      'select toolwharf_reserve_1($1::jsonb, $2, $3) as results',
      [JSON.stringify(meters), tolerance, cleanupMs],
    );
    return calls.map((call, index) => resultOf(call, row?.results[index] as StoredResult));
  }

  read(meters: readonly Meter[]): Promise<readonly MeterReading[]> {
    return this.#database.transaction().execute(async (transaction) => {
      const time = await timeIn(transaction);
      const readings: MeterReading[] = [];
      for (const meter of meters) readings.push(await readingAt(transaction, meter, time));
      return readings;
    });
  }

  inUse(limit: number): Promise<readonly WindowUse[]> {
    return this.#database
      .transaction()
      .execute(async (transaction) => usesAt(transaction, await timeIn(transaction), limit));
  }

  release(reservation: Reservation): Promise<void> {
    return this.#database.transaction().execute((transaction) => releaseUses(transaction, reservation));
  }
}

function resultOf(call: readonly Meter[], result: StoredResult): ReserveResult {
  if ('at' in result)
    return {
      kind: 'taken',
      reservation: { taken: call.map((meter, index) => ({ meter, at: result.at[index] as number })) },
    };
  const { used, waitMs } = result;
  return { kind: 'full', reading: { meter: call[result.meter] as Meter, used, waitMs } };
}

/** The highest of the clock of the database and the time that was stored. */
async function timeIn(transaction: Transaction<StateTables>): Promise<number> {
  const { rows } = await sql<{ at: number }>`
    select greatest(
      floor(extract(epoch from clock_timestamp()) * 1000)::bigint,
      (select max(at) from limit_clock)
    ) as at`.execute(transaction);
  return rows[0]?.at as number;
}
