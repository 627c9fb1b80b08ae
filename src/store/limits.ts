import { CompiledQuery, type Transaction } from 'kysely';
import type { Database, StateTables } from './database.js';

/** What one call takes of one limit. */
export interface Meter {
  readonly principal: string;
  readonly tool: string;
  readonly kind: 'calls' | 'amount';
  /** Length of the sliding window in milliseconds. */
  readonly span: number;
  readonly most: number;
  readonly take: number;
}

export interface Reading {
  readonly meter: Meter;
  readonly used: number;
  /** Milliseconds until the call would fit; zero when it does now, null when it never will. */
  readonly waitMs: number | null;
}

/** A place that was taken; given back only where nothing was done with it. */
export interface Reservation {
  readonly taken: readonly { readonly meter: Meter; readonly at: number }[];
}

export type Reserved =
  | { readonly kind: 'taken'; readonly reservation: Reservation }
  | { readonly kind: 'full'; readonly reading: Reading };

export interface LimitTime {
  /** Milliseconds since 1970; may be set back. */
  readonly now: () => number;
  /** Milliseconds from anywhere; never go back. */
  readonly ticks: () => number;
}

/** More calls than this in a window are counted in steps of the window instead of one by one. */
const fine = 1024;
/** Sums of decimal fractions are off by less than this part of a cap. */
const tolerance = 1e-9;
/** How often the time is written down and what is over is removed. Where it is not, more counts as used, never less. */
const tidyMs = 1000;

const synced = {
  no: CompiledQuery.raw('pragma synchronous = normal'),
  yes: CompiledQuery.raw('pragma synchronous = full'),
};

interface Waiting {
  readonly meters: readonly Meter[];
  readonly done: (reserved: Reserved) => void;
  readonly failed: (error: unknown) => void;
}

/**
 * Sliding windows, on the disk before a call goes on. Requests that arrive together are judged one after the other in
 * one transaction, so that they are exact and share its price. Time only goes forward here, over restarts too: a clock
 * that is set back frees nothing.
 */
export class LimitLedger {
  readonly #database: Database;
  readonly #time: LimitTime;
  #waiting: Waiting[] = [];
  #writing = false;
  #highest: number | undefined;
  #lastTick: number;
  #kept = 0;

  constructor(database: Database, time: LimitTime) {
    this.#database = database;
    this.#time = time;
    this.#lastTick = time.ticks();
  }

  /** Takes a place in all of them, or in none. */
  reserve(meters: readonly Meter[]): Promise<Reserved> {
    return new Promise((done, failed) => {
      this.#waiting.push({ meters, done, failed });
      void this.#write();
    });
  }

  /** What is used of each, without taking anything. */
  async read(meters: readonly Meter[]): Promise<readonly Reading[]> {
    return this.#database.transaction().execute(async (transaction) => {
      const time = await this.#now(transaction);
      const readings: Reading[] = [];
      for (const meter of meters) readings.push(await reading(transaction, meter, time));
      return readings;
    });
  }

  async giveBack({ taken }: Reservation): Promise<void> {
    if (taken.length === 0) return;
    await this.#database.transaction().execute(async (transaction) => {
      for (const { meter, at } of taken) {
        await transaction
          .updateTable('limit_use')
          .set((it) => ({ used: it('used', '-', meter.take) }))
          .where(...is('principal', meter))
          .where(...is('tool', meter))
          .where(...is('kind', meter))
          .where(...is('span', meter))
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
            const all: Reserved[] = [];
            for (const { meters } of batch) all.push(await take(transaction, meters, time));
            const taken = all.some((it) => it.kind === 'taken');
            if (taken && time >= this.#kept + tidyMs) await this.#tidy(transaction, batch, time);
            return all;
          }),
        );
        for (const [index, { done }] of batch.entries()) done(settled[index] as Reserved);
      } catch (error) {
        for (const { failed } of batch) failed(error);
      }
    }
    this.#writing = false;
  }

  async #tidy(transaction: Transaction<StateTables>, batch: readonly Waiting[], time: number): Promise<void> {
    await keepTime(transaction, time);
    for (const meter of new Set(batch.flatMap((it) => it.meters))) await forget(transaction, meter, time);
    this.#kept = time;
  }

  /**
   * Written so that it survives the end of this process; the disk itself need not have it yet. What a call is about to
   * do is written down next and waits for the disk, and everything before it in the same log goes along.
   */
  async #unsynced<T>(work: (connection: Database) => Promise<T>): Promise<T> {
    return this.#database.connection().execute(async (connection) => {
      await connection.executeQuery(synced.no);
      try {
        return await work(connection);
      } finally {
        await connection.executeQuery(synced.yes);
      }
    });
  }

  /** As far ahead as the clock of the wall, the time that passed, or any time seen before: whichever is highest. */
  async #now(transaction: Transaction<StateTables>): Promise<number> {
    const known = this.#highest;
    const before =
      known ?? (await transaction.selectFrom('limit_clock').select('at').executeTakeFirst())?.at ?? 0;
    const tick = this.#time.ticks();
    const highest = Math.max(before + Math.max(0, tick - this.#lastTick), this.#time.now());
    this.#lastTick = tick;
    this.#highest = highest;
    // What nobody asked for since the last host is not looked at one by one.
    if (known === undefined)
      await transaction
        .deleteFrom('limit_use')
        .where((it) => it(it('at', '+', it.ref('span')), '<=', Math.floor(highest)))
        .execute();
    return Math.floor(highest);
  }
}

async function take(
  transaction: Transaction<StateTables>,
  meters: readonly Meter[],
  time: number,
): Promise<Reserved> {
  for (const meter of meters) {
    const found = await reading(transaction, meter, time);
    if (found.waitMs !== 0) return { kind: 'full', reading: found };
  }
  const taken: { meter: Meter; at: number }[] = [];
  for (const meter of meters) {
    const { principal, tool, kind, span, take: used } = meter;
    const at = stepOf(meter, time);
    await transaction
      .insertInto('limit_use')
      .values({ principal, tool, kind, span, at, used })
      .onConflict((conflict) =>
        conflict
          .columns(['principal', 'tool', 'kind', 'span', 'at'])
          .doUpdateSet((it) => ({ used: it('limit_use.used', '+', used) })),
      )
      .execute();
    taken.push({ meter, at });
  }
  return { kind: 'taken', reservation: { taken } };
}

/** The end of the step that a time lies in: what was used counts a little longer, never shorter. */
function stepOf({ kind, span, most }: Meter, time: number): number {
  const step = kind === 'calls' && most <= fine ? 1 : Math.max(1, Math.floor(span / fine));
  return Math.ceil(time / step) * step;
}

async function reading(transaction: Transaction<StateTables>, meter: Meter, time: number): Promise<Reading> {
  const { most, take: wanted, span } = meter;
  const uses = transaction
    .selectFrom('limit_use')
    .where(...is('principal', meter))
    .where(...is('tool', meter))
    .where(...is('kind', meter))
    .where(...is('span', meter))
    .where('at', '>', time - span);
  const total = await uses.select((it) => it.fn.sum<number | null>('used').as('used')).executeTakeFirst();
  const used = total?.used ?? 0;
  const room = most * (1 + tolerance) - wanted;
  if (used <= room) return { meter, used, waitMs: 0 };
  let left = used;
  for (const row of await uses.select(['at', 'used']).orderBy('at').execute()) {
    left -= row.used;
    if (left <= room) return { meter, used, waitMs: row.at + span - time };
  }
  return { meter, used, waitMs: room >= 0 ? span : null };
}

async function forget(transaction: Transaction<StateTables>, meter: Meter, time: number): Promise<void> {
  await transaction
    .deleteFrom('limit_use')
    .where(...is('principal', meter))
    .where(...is('tool', meter))
    .where(...is('kind', meter))
    .where(...is('span', meter))
    .where('at', '<=', time - meter.span)
    .execute();
}

async function keepTime(transaction: Transaction<StateTables>, time: number): Promise<void> {
  await transaction
    .insertInto('limit_clock')
    .values({ id: 1, at: time })
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ at: time }))
    .execute();
}

function is<K extends 'principal' | 'tool' | 'kind' | 'span'>(column: K, meter: Meter): [K, '=', Meter[K]] {
  return [column, '=', meter[column]];
}
