import type { ActivityCall, ActivityFilter, ActivityPage } from '../../../model/activity.js';

export const pageSize = 100;
/** Pages that are kept: enough for a long way back, and bounded. */
const maxPages = 30;

/** Reads a part of the list. */
export type ReadCalls = (
  query: ActivityFilter & { before?: number; after?: number; offset?: number; limit: number },
) => Promise<ActivityPage>;

/**
 * A list of calls that stays as it is while new ones arrive: all its parts are read from before one call. `restart` takes
 * the new ones in.
 */
export class CallPages {
  readonly #read: ReadCalls;
  readonly #newFilter: () => ActivityFilter;
  #filter: ActivityFilter = {};
  readonly #onChange: () => void;
  /** In the order of their last use. */
  readonly #pages = new Map<number, readonly ActivityCall[]>();
  readonly #loading = new Set<number>();
  /** Calls from here on are not in the list. Undefined: nothing was read yet. */
  #before: number | undefined;
  total = 0;
  complete = true;
  /** Calls that came since, and are not in the list. */
  newer = 0;
  error: Error | undefined;

  /** `filter`: is asked at each start of the list, because `the last hour` ends later then. */
  constructor(filter: () => ActivityFilter, read: ReadCalls, onChange: () => void) {
    this.#newFilter = filter;
    this.#read = read;
    this.#onChange = onChange;
  }

  get isReady(): boolean {
    return this.#before !== undefined;
  }

  /** Begins the list again with the newest call. */
  async restart(): Promise<void> {
    await this.#guarded(async () => {
      this.#filter = this.#newFilter();
      const { calls, total, complete } = await this.#read({ ...this.#filter, limit: pageSize });
      // An empty list begins before everything that comes later.
      this.#before = (calls[0]?.seq ?? 0) + 1;
      this.#pages.clear();
      this.#pages.set(0, calls);
      Object.assign(this, { total, complete, newer: 0 });
    });
  }

  /** Counts what is newer, and reads the parts in view again: calls that ran have an end now. */
  async refresh(from: number, to: number): Promise<void> {
    const before = this.#before;
    if (before === undefined) return;
    await this.#guarded(async () => {
      const { total } = await this.#read({ ...this.#filter, after: before - 1, limit: 1 });
      this.newer = total;
      for (const page of pagesOf(from, to))
        if (this.#pages.get(page)?.some((it) => it.status === 'running') === true) await this.#load(page);
    });
  }

  /** The call at a place of the list. Undefined: not read yet; `want` reads it. */
  at(index: number): ActivityCall | undefined {
    return this.#pages.get(Math.floor(index / pageSize))?.[index % pageSize];
  }

  /** Reads what is missing between two places. */
  async want(from: number, to: number): Promise<void> {
    const last = Math.max(0, Math.min(to, this.total) - 1);
    for (const page of pagesOf(from, last)) {
      const known = this.#pages.get(page);
      if (known !== undefined) {
        this.#pages.delete(page);
        this.#pages.set(page, known);
      } else if (!this.#loading.has(page)) await this.#guarded(() => this.#load(page));
    }
  }

  async #load(page: number): Promise<void> {
    const before = this.#before;
    if (before === undefined) return;
    this.#loading.add(page);
    try {
      // From the end of the part before it where that is known: then nothing can be shown twice or left out.
      const previous = this.#pages.get(page - 1)?.at(-1)?.seq;
      const place = previous === undefined ? { before, offset: page * pageSize } : { before: previous };
      const { calls } = await this.#read({ ...this.#filter, ...place, limit: pageSize });
      if (this.#before !== before) return;
      this.#pages.set(page, calls);
      for (const oldest of this.#pages.keys()) {
        if (this.#pages.size <= maxPages) break;
        this.#pages.delete(oldest);
      }
    } finally {
      this.#loading.delete(page);
    }
  }

  async #guarded(work: () => Promise<void>): Promise<void> {
    try {
      await work();
      this.error = undefined;
    } catch (error) {
      this.error = error as Error;
    }
    this.#onChange();
  }
}

function pagesOf(from: number, to: number): readonly number[] {
  const first = Math.floor(Math.max(0, from) / pageSize);
  return Array.from(
    { length: Math.max(0, Math.floor(to / pageSize) - first) + 1 },
    (_, index) => first + index,
  );
}
