// Queries on the uses of limits, the same for both databases.
import type { Transaction } from 'kysely';
import { type MeterReading, type Reservation, tolerance, type WindowUse } from './limit-statements.js';
import type { Meter } from './meter.js';
import type { StateTables } from './state-tables.js';

/** How much of a limit is used at a time. */
export async function readingAt(
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

/** Deletes uses that ended. */
export async function deleteOld(
  transaction: Transaction<StateTables>,
  meter: Meter,
  time: number,
): Promise<void> {
  await transaction
    .deleteFrom('limit_use')
    .where(...is('principal', meter))
    .where(...is('tool', meter))
    .where(...is('kind', meter))
    .where('window_ms', '=', meter.windowMs)
    .where('at', '<=', time - meter.windowMs)
    .execute();
}

/** All limits that are partly used at a time. */
export async function usesAt(
  transaction: Transaction<StateTables>,
  time: number,
  limit: number,
): Promise<readonly WindowUse[]> {
  const rows = await transaction
    .selectFrom('limit_use')
    .select((it) => [
      'principal',
      'tool',
      'kind',
      'window_ms as windowMs',
      it.fn.sum<number>('used').as('used'),
    ])
    .where((it) => it(it('at', '+', it.ref('window_ms')), '>', time))
    .groupBy(['principal', 'tool', 'kind', 'window_ms'])
    .having((it) => it.fn.sum('used'), '>', 0)
    .limit(limit)
    .execute();
  return rows.map((row) => ({ ...row, kind: row.kind as Meter['kind'] }));
}

/** Returns reserved shares. */
export async function releaseUses(
  transaction: Transaction<StateTables>,
  { taken }: Reservation,
): Promise<void> {
  for (const { meter, at } of taken)
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

function is<K extends 'principal' | 'tool' | 'kind'>(column: K, meter: Meter): [K, '=', Meter[K]] {
  return [column, '=', meter[column]];
}
