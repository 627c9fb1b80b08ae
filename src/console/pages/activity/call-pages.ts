import type { ActivityCall, ActivityFilter, ActivityPage } from '../../../model/activity.js';

export const pageSize = 100;
/** Pages that are kept: enough for a long way back, and bounded. */
const maxPages = 30;

/** Reads a part of the list. */
export type ReadCalls = (
  query: ActivityFilter & { before?: number; after?: number; offset?: number; limit: number },
) => Promise<ActivityPage>;

/** What is shown: all calls that fit the filter and came before one call. */
interface CallList {
  readonly filter: ActivityFilter;
  /** Calls from here on are not in the list. */
  readonly before: number;
  readonly total: number;
  readonly complete: boolean;
  /** The parts that were read, in the order of their last use. */
  readonly pages: Map<number, readonly ActivityCall[]>;
}

/**
 * A list of calls that stays as it is while new ones arrive: all its parts are read from before one call. `restart` takes
 * the new ones in. A row that was read keeps its content until a newer one is there to replace it.
 */
export class CallPages {
  readonly #read: ReadCalls;
  readonly #newFilter: () => ActivityFilter;
  readonly #onChange: () => void;
  /** Undefined: nothing was read yet. */
  #list: CallList | undefined;
  /** The places in view. */
  #wanted = { from: 0, to: 0 };
  #isFilling = false;
  /** Counts the starts of the list: only the newest one counts. */
  #starts = 0;
  /** Whether the next start that ends takes the list over in any case. */
  #isDue = true;
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
    return this.#list !== undefined;
  }

  get total(): number {
    return this.#list?.total ?? 0;
  }

  /** Whether the host looked at the whole log for the list. */
  get complete(): boolean {
    return this.#list?.complete ?? true;
  }

  /**
   * Begins the list again with the newest call, once everything in view was read again. `isRead`: whether a person reads the
   * list. If they began to do so meanwhile, the list stays, and the new calls are only counted. Absent: the list changes.
   */
  async restart(isRead?: () => boolean): Promise<void> {
    const mine = ++this.#starts;
    if (isRead === undefined) this.#isDue = true;
    await this.#guarded(
      async () => {
        const filter = this.#newFilter();
        const { calls, total, complete } = await this.#read({ ...filter, limit: pageSize });
        // An empty list begins before everything that comes later.
        const before = (calls[0]?.seq ?? 0) + 1;
        const list: CallList = { filter, before, total, complete, pages: new Map([[0, calls]]) };
        for (let page = this.#missing(list); page !== undefined; page = this.#missing(list)) {
          if (mine !== this.#starts) return;
          await this.#load(list, page);
        }
        if (mine !== this.#starts) return;
        if (this.#list !== undefined && !this.#isDue && isRead?.() === true)
          return this.#countNewer(this.#list);
        this.#list = list;
        this.#isDue = false;
        this.newer = 0;
      },
      () => mine === this.#starts,
    );
  }

  /** Counts what is newer, and reads the parts in view again: calls that ran have an end now. */
  async refresh(): Promise<void> {
    const list = this.#list;
    if (list === undefined) return;
    await this.#guarded(async () => {
      await this.#countNewer(list);
      for (const page of pagesOf(this.#wanted, list.total))
        if (list.pages.get(page)?.some((it) => it.status === 'running') === true)
          await this.#load(list, page);
    });
    // What could not be read before.
    await this.#fill();
  }

  /** The call at a place of the list. Undefined: not read yet; `want` reads it. */
  at(index: number): ActivityCall | undefined {
    return this.#list?.pages.get(Math.floor(index / pageSize))?.[index % pageSize];
  }

  /** Says which places are in view, and reads what is missing of them. */
  async want(from: number, to: number): Promise<void> {
    this.#wanted = { from, to };
    const list = this.#list;
    if (list === undefined) return;
    for (const page of pagesOf(this.#wanted, list.total)) {
      const known = list.pages.get(page);
      if (known === undefined) continue;
      list.pages.delete(page);
      list.pages.set(page, known);
    }
    await this.#fill();
  }

  /** One part after the other, and always one that is in view now: a person scrolls faster than a host reads. */
  async #fill(): Promise<void> {
    if (this.#isFilling) return;
    this.#isFilling = true;
    try {
      for (;;) {
        const list = this.#list;
        const page = list && this.#missing(list);
        if (list === undefined || page === undefined) return;
        if (!(await this.#guarded(() => this.#load(list, page)))) return;
      }
    } finally {
      this.#isFilling = false;
    }
  }

  /** The first part in view that was not read. */
  #missing({ total, pages }: CallList): number | undefined {
    return pagesOf(this.#wanted, total).find((it) => !pages.has(it));
  }

  async #load({ filter, before, pages }: CallList, page: number): Promise<void> {
    // From the end of the part before it where that is known: then nothing can be shown twice or left out.
    const previous = pages.get(page - 1)?.at(-1)?.seq;
    const place = previous === undefined ? { before, offset: page * pageSize } : { before: previous };
    const { calls } = await this.#read({ ...filter, ...place, limit: pageSize });
    pages.set(page, calls);
    for (const oldest of pages.keys()) {
      if (pages.size <= maxPages) break;
      pages.delete(oldest);
    }
  }

  async #countNewer(list: CallList): Promise<void> {
    const { total } = await this.#read({ ...list.filter, after: list.before - 1, limit: 1 });
    if (list === this.#list) this.newer = total;
  }

  /** Keeps why it failed. False: it did. `counts`: whether anybody still waits for it. */
  async #guarded(work: () => Promise<void>, counts: () => boolean = () => true): Promise<boolean> {
    let failure: Error | undefined;
    try {
      await work();
    } catch (error) {
      failure = error as Error;
    }
    if (counts()) this.error = failure;
    this.#onChange();
    return failure === undefined;
  }
}

function pagesOf(
  { from, to }: { readonly from: number; readonly to: number },
  total: number,
): readonly number[] {
  const last = Math.min(to, total) - 1;
  const first = Math.floor(Math.max(0, Math.min(from, last)) / pageSize);
  const count = Math.floor(last / pageSize) - first + 1;
  return Array.from({ length: Math.max(0, count) }, (_, index) => first + index);
}
