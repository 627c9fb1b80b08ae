import type { Transaction } from 'kysely';
import type { Database } from '../database.js';
import { deleteOld, readingAt, releaseUses, usesAt } from '../limit-rows.js';
import {
  cleanupMs,
  type LimitStatements,
  type LimitTime,
  type MeterReading,
  type Reservation,
  type ReserveResult,
  type WindowUse,
} from '../limit-statements.js';
import { type Meter, stepMs } from '../meter.js';
import type { StateTables } from '../state-tables.js';

/** Limits by the clock of this machine. */
export class SqliteLimits implements LimitStatements {
  readonly #database: Database;
  readonly #time: LimitTime;
  #highest: number | undefined;
  #lastTick: number;
  #cleanedAt = 0;

  constructor(database: Database, time: LimitTime) {
    this.#database = database;
    this.#time = time;
    this.#lastTick = time.ticks();
  }

  reserve(calls: readonly (readonly Meter[])[]): Promise<readonly ReserveResult[]> {
    return this.#database.withDelayedTransaction(async (transaction) => {
      const time = await this.#now(transaction);
      const all: ReserveResult[] = [];
      for (const meters of calls) all.push(await take(transaction, meters, time));
      const taken = all.some((it) => it.kind === 'taken');
      if (taken && time >= this.#cleanedAt + cleanupMs) {
        await storeTime(transaction, time);
        for (const meter of new Set(calls.flat())) await deleteOld(transaction, meter, time);
        this.#cleanedAt = time;
      }
      return all;
    });
  }

  read(meters: readonly Meter[]): Promise<readonly MeterReading[]> {
    return this.#database.transaction().execute(async (transaction) => {
      const time = await this.#now(transaction);
      const readings: MeterReading[] = [];
      for (const meter of meters) readings.push(await readingAt(transaction, meter, time));
      return readings;
    });
  }

  inUse(limit: number): Promise<readonly WindowUse[]> {
    return this.#database
      .transaction()
      .execute(async (transaction) => usesAt(transaction, await this.#now(transaction), limit));
  }

  release(reservation: Reservation): Promise<void> {
    return this.#database.transaction().execute((transaction) => releaseUses(transaction, reservation));
  }

  /** The highest of the system clock, the elapsed monotonic time, and any time seen before. */
  async #now(transaction: Transaction<StateTables>): Promise<number> {
    const known = this.#highest;
    const before =
      known ?? (await transaction.selectFrom('limit_clock').select('at').executeTakeFirst())?.at ?? 0;
    const tick = this.#time.ticks();
    const highest = Math.max(before + Math.max(0, tick - this.#lastTick), this.#time.now());
    this.#lastTick = tick;
    this.#highest = highest;
    if (known === undefined) await deleteEnded(transaction, Math.floor(highest));
    return Math.floor(highest);
  }
}

async function take(
  transaction: Transaction<StateTables>,
  meters: readonly Meter[],
  time: number,
): Promise<ReserveResult> {
  for (const meter of meters) {
    const found = await readingAt(transaction, meter, time);
    if (found.waitMs !== 0) return { kind: 'full', reading: found };
  }
  const taken: { meter: Meter; at: number }[] = [];
  for (const meter of meters) {
    const { principal, tool, kind, windowMs: window_ms, amount: used } = meter;
    const step = stepMs(meter);
    const at = Math.ceil(time / step) * step;
    await transaction
      .insertInto('limit_use')
      .values({ principal, tool, kind, window_ms, at, used })
      .onConflict((conflict) =>
        conflict
          .columns(['principal', 'tool', 'kind', 'window_ms', 'at'])
          .doUpdateSet((it) => ({ used: it('limit_use.used', '+', used) })),
      )
      .execute();
    taken.push({ meter, at });
  }
  return { kind: 'taken', reservation: { taken } };
}

/**
 * On the first use, delete all rows that ended while no host was running. The time is stored with it: a use that is
 * deleted ended before every time that is used from now on.
 */
async function deleteEnded(transaction: Transaction<StateTables>, time: number): Promise<void> {
  await storeTime(transaction, time);
  await transaction
    .deleteFrom('limit_use')
    .where((it) => it(it('at', '+', it.ref('window_ms')), '<=', time))
    .execute();
}

async function storeTime(transaction: Transaction<StateTables>, time: number): Promise<void> {
  await transaction
    .insertInto('limit_clock')
    .values({ id: 1, at: time })
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ at: time }))
    .execute();
}
