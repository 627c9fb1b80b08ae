import { CompiledQuery, type Kysely, type Transaction } from 'kysely';
import type { Database } from './database.js';
import { LimitMaxima, type UsedLimit, usedLimits } from './limit-use.js';
import type { Meter } from './meter.js';
import type { StateTables } from './state-tables.js';

export interface MeterReading {
  readonly meter: Meter;
  readonly used: number;
  /** Milliseconds until the call fits. 0: it fits now. Null: it never fits. */
  readonly waitMs: number | null;
}

/** Reserved shares of limits. They are released only if the call had no effect. */
export interface Reservation {
  readonly taken: readonly { readonly meter: Meter; readonly at: number }[];
}

export type ReserveResult =
  | { readonly kind: 'taken'; readonly reservation: Reservation }
  | { readonly kind: 'full'; readonly reading: MeterReading };

export interface LimitTime {
  /** Milliseconds since 1970. The system clock may be set back. */
  readonly now: () => number;
  /** Monotonic milliseconds with an arbitrary start. */
  readonly ticks: () => number;
}

/** A limit of more calls than this is counted in time steps, this many per window, instead of one row per call. */
const maxExactCalls = 1024;
/** Allowed rounding error of sums of decimal fractions, relative to the limit. */
const tolerance = 1e-9;
/** Interval for storing the time and deleting old rows. Between two runs more counts as used, never less. */
const cleanupMs = 1000;

const synchronous = {
  normal: CompiledQuery.raw('pragma synchronous = normal'),
  full: CompiledQuery.raw('pragma synchronous = full'),
};

interface Waiting {
  readonly meters: readonly Meter[];
  readonly done: (reserved: ReserveResult) => void;
  readonly failed: (error: unknown) => void;
}

/**
 * Sliding-window limits, stored before a call continues. Reservations that arrive together are handled in order in one
 * transaction, which is exact and cheap. The time used here never goes back, not even over restarts: setting the clock
 * back frees nothing.
 */
export class LimitLedger {
  readonly #database: Database;
  readonly #time: LimitTime;
  readonly #maxima = new LimitMaxima();
  #waiting: Waiting[] = [];
  #writing = false;
  #highest: number | undefined;
  #lastTick: number;
  #cleanedAt = 0;

  constructor(database: Database, time: LimitTime) {
    this.#database = database;
    this.#time = time;
    this.#lastTick = time.ticks();
  }

  /** Reserves a share of all limits, or of none. */
  reserve(meters: readonly Meter[]): Promise<ReserveResult> {
    this.#maxima.note(meters);
    return new Promise((done, failed) => {
      this.#waiting.push({ meters, done, failed });
      void this.#write();
    });
  }

  /** Reads the use of each limit without reserving anything. */
  async read(meters: readonly Meter[]): Promise<readonly MeterReading[]> {
    return this.#database.transaction().execute(async (transaction) => {
      const time = await this.#now(transaction);
      const readings: MeterReading[] = [];
      for (const meter of meters) readings.push(await reading(transaction, meter, time));
      return readings;
    });
  }

  /** All limits that are partly used. */
  async inUse(): Promise<readonly UsedLimit[]> {
    return this.#database
      .transaction()
      .execute(async (transaction) => usedLimits(transaction, await this.#now(transaction), this.#maxima));
  }

  /** Returns reserved shares, because the call had no effect. */
  async release({ taken }: Reservation): Promise<void> {
    if (taken.length === 0) return;
    await this.#database.transaction().execute(async (transaction) => {
      for (const { meter, at } of taken) {
        await transaction
          .updateTable('limit_use')
          .set((it) => ({ used: it('used', '-', meter.amount) }))
          .where(...is('principal', meter))
          .where(...is('tool', meter))
          .where(...is('kind', meter))
          .where('window_ms', '=', meter.windowMs)
          .where('at', '=', at)
          .execute();
      }
    });
  }

  async #write(): Promise<void> {
    if (this.#writing) return;
    this.#writing = true;
    while (this.#waiting.length > 0) {
      const batch = this.#waiting;
      this.#waiting = [];
      try {
        const settled = await this.#unsynced((connection) =>
          connection.transaction().execute(async (transaction) => {
            const time = await this.#now(transaction);
            const all: ReserveResult[] = [];
            for (const { meters } of batch) all.push(await take(transaction, meters, time));
            const taken = all.some((it) => it.kind === 'taken');
            if (taken && time >= this.#cleanedAt + cleanupMs) await this.#cleanUp(transaction, batch, time);
            return all;
          }),
        );
        for (const [index, { done }] of batch.entries()) done(settled[index] as ReserveResult);
      } catch (error) {
        for (const { failed } of batch) failed(error);
      }
    }
    this.#writing = false;
  }

  async #cleanUp(
    transaction: Transaction<StateTables>,
    batch: readonly Waiting[],
    time: number,
  ): Promise<void> {
    await storeTime(transaction, time);
    for (const meter of new Set(batch.flatMap((it) => it.meters))) await deleteOld(transaction, meter, time);
    this.#cleanedAt = time;
  }

  /**
   * Commits without waiting for the disk. The data survives the end of this process. The audit entry that follows waits
   * for the disk and flushes everything before it in the same write-ahead log.
   */
  async #unsynced<T>(work: (connection: Kysely<StateTables>) => Promise<T>): Promise<T> {
    return this.#database.connection().execute(async (connection) => {
      await connection.executeQuery(synchronous.normal);
      try {
        return await work(connection);
      } finally {
        await connection.executeQuery(synchronous.full);
      }
    });
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
    const found = await reading(transaction, meter, time);
    if (found.waitMs !== 0) return { kind: 'full', reading: found };
  }
  const taken: { meter: Meter; at: number }[] = [];
  for (const meter of meters) {
    const { principal, tool, kind, windowMs: window_ms, amount: used } = meter;
    const at = stepOf(meter, time);
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

/** The end of the time step that contains `time`. A use counts slightly longer than the window, never shorter. */
function stepOf({ kind, windowMs, max }: Meter, time: number): number {
  const step =
    kind === 'calls' && max <= maxExactCalls ? 1 : Math.max(1, Math.floor(windowMs / maxExactCalls));
  return Math.ceil(time / step) * step;
}

async function reading(
  transaction: Transaction<StateTables>,
  meter: Meter,
  time: number,
): Promise<MeterReading> {
  const { max, amount, windowMs } = meter;
  const uses = transaction
    .selectFrom('limit_use')
    .where(...is('principal', meter))
    .where(...is('tool', meter))
    .where(...is('kind', meter))
    .where('window_ms', '=', meter.windowMs)
    .where('at', '>', time - windowMs);
  const total = await uses.select((it) => it.fn.sum<number | null>('used').as('used')).executeTakeFirst();
  const used = total?.used ?? 0;
  const room = max * (1 + tolerance) - amount;
  if (used <= room) return { meter, used, waitMs: 0 };
  let left = used;
  for (const row of await uses.select(['at', 'used']).orderBy('at').execute()) {
    left -= row.used;
    if (left <= room) return { meter, used, waitMs: row.at + windowMs - time };
  }
  return { meter, used, waitMs: room >= 0 ? windowMs : null };
}

async function deleteOld(transaction: Transaction<StateTables>, meter: Meter, time: number): Promise<void> {
  await transaction
    .deleteFrom('limit_use')
    .where(...is('principal', meter))
    .where(...is('tool', meter))
    .where(...is('kind', meter))
    .where('window_ms', '=', meter.windowMs)
    .where('at', '<=', time - meter.windowMs)
    .execute();
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

function is<K extends 'principal' | 'tool' | 'kind'>(column: K, meter: Meter): [K, '=', Meter[K]] {
  return [column, '=', meter[column]];
}
