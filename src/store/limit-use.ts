import type { LimitStatements, WindowUse } from './limit-statements.js';
import type { Meter } from './meter.js';

/** Limits whose maximum is remembered, and that are shown. */
const maxKnown = 10_000;

/** A limit that is partly used. */
export interface UsedLimit extends WindowUse {
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
  limits: LimitStatements,
  maxima: LimitMaxima,
): Promise<readonly UsedLimit[]> {
  const found = (await limits.inUse(maxKnown)).map((it) => ({ ...it, max: maxima.of(it) }));
  return found.sort((a, b) => share(b) - share(a) || b.used - a.used);
}

type RowOfLimit = Pick<Meter, 'principal' | 'tool' | 'kind' | 'windowMs'>;

function share({ used, max }: UsedLimit): number {
  return max === null ? 0 : used / max;
}

function rowKey({ principal, tool, kind, windowMs }: RowOfLimit): string {
  return JSON.stringify([principal, tool, kind, windowMs]);
}
