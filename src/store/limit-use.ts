import type { Transaction } from 'kysely';
import type { Meter } from './meter.js';
import type { StateTables } from './state-tables.js';

/** Limits whose maximum is remembered, and that are shown. */
const maxKnown = 10_000;

/** How much of one limit is used within its window. */
export interface UsedLimit extends Omit<Meter, 'max' | 'amount'> {
  readonly used: number;
  /** Null: nothing was reserved since the host started, so the maximum is not known. */
  readonly max: number | null;
}

/** The newest maximum of each limit. The database does not have it: it belongs to packages and to the configuration. */
export class LimitMaxima {
  readonly #max = new Map<string, number>();

  note(meters: readonly Meter[]): void {
    for (const it of meters) {
      const key = rowKey(it);
      if (this.#max.size < maxKnown || this.#max.has(key)) this.#max.set(key, it.max);
    }
  }

  of(limit: RowOfLimit): number | null {
    return this.#max.get(rowKey(limit)) ?? null;
  }
}

/** All limits that are partly used, the fullest first. */
export async function usedLimits(
  transaction: Transaction<StateTables>,
  time: number,
  maxima: LimitMaxima,
): Promise<readonly UsedLimit[]> {
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
    .limit(maxKnown)
    .execute();
  const found = rows.map((row) => {
    const limit = { ...row, kind: row.kind as Meter['kind'] };
    return { ...limit, max: maxima.of(limit) };
  });
  return found.sort((a, b) => share(b) - share(a) || b.used - a.used);
}

type RowOfLimit = Pick<Meter, 'principal' | 'tool' | 'kind' | 'windowMs'>;

function share({ used, max }: UsedLimit): number {
  return max === null ? 0 : used / max;
}

function rowKey({ principal, tool, kind, windowMs }: RowOfLimit): string {
  return JSON.stringify([principal, tool, kind, windowMs]);
}
