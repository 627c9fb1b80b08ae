import type { CancelSignal } from '../model/cancel-signal.js';
import { callCanceled, HostError } from '../model/host-error.js';
import { type OwnedProcess, type ProcessOwner, ProcessShares, processToEvict } from './process-owner.js';
import { StartFailures } from './start-failures.js';

/** A process that can serve calls, one at a time. */
export interface PooledProcess {
  /** It started and is ready for calls. */
  readonly started: boolean;
  /** It must not get another call: it exited, is being killed, or used most of its CPU time. */
  readonly retired: boolean;
  /** Resolves when it has exited; never rejects. */
  readonly exited: Promise<unknown>;
  kill(): void;
}

export interface PoolOptions {
  /** Maximum number of processes, including those that are being killed. */
  readonly processes?: number;
  /** Further processes if all are busy: one for each principal that has none. */
  readonly reserved?: number;
  /** Maximum number of processes with the same key. */
  readonly perKey?: number;
  /** How long an idle process is kept. */
  readonly idleMs?: number;
  /** Delay after the first failed start of a key; doubled with each further failure. */
  readonly backoffMs?: number;
}

export interface PoolRequest<T> {
  readonly key: string;
  readonly owner: ProcessOwner;
  /** What the process is used for, such as the tool's name; `end` can select processes by their past purposes. */
  readonly purpose: string;
  readonly signal: CancelSignal;
  /** Cancels only the wait for a process; called only if the request must wait. */
  readonly waitSignal?: () => CancelSignal;
  readonly start: () => T;
}

export interface PoolState {
  readonly processes: number;
  readonly busy: number;
  readonly waiting: number;
}

interface PoolEntry<T> extends OwnedProcess {
  readonly key: string;
  readonly process: T;
  readonly purposes: Set<string>;
  state: 'busy' | 'idle' | 'ending';
  idleSince: number;
}

interface Waiter<T> {
  readonly request: PoolRequest<T>;
  readonly assign: (entry: PoolEntry<T>) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Processes that are reused for later calls. Each serves one call at a time, so that a crash, a hang or a cancellation
 * affects no other call. Parallel calls for the same key get more processes, up to a limit. Further calls wait: those of
 * the owner with the fewest processes come first, and calls of one owner keep their order. If the pool is full, an idle
 * process is killed, see `processToEvict`.
 */
export class ProcessPool<T extends PooledProcess> {
  readonly #limits: Required<PoolOptions>;
  readonly #entries = new Set<PoolEntry<T>>();
  readonly #failures: StartFailures;
  #waiting: Waiter<T>[] = [];
  #closed = false;
  /** One timer for all processes; one per process would be set and cleared with every call. */
  #idleTimer: NodeJS.Timeout | undefined;

  constructor(options: PoolOptions = {}) {
    this.#limits = { processes: 16, reserved: 4, perKey: 4, idleMs: 60_000, backoffMs: 500, ...options };
    this.#failures = new StartFailures(this.#limits.backoffMs);
  }

  /** Runs `work` with a process that no other call uses until `work` settles. */
  async use<R>(request: PoolRequest<T>, work: (process: T) => Promise<R>): Promise<R> {
    const entry = this.#takeIdle(request) ?? (await this.#waitForProcess(request));
    try {
      return await work(entry.process);
    } catch (error) {
      if (!entry.process.started) this.#failures.record(request.key, error);
      throw error;
    } finally {
      if (entry.process.started) this.#failures.clear(request.key);
      this.#release(entry);
    }
  }

  get state(): PoolState {
    const busy = [...this.#entries].filter((it) => it.state === 'busy').length;
    return { processes: this.#entries.size, busy, waiting: this.#waiting.length };
  }

  /** Kills the matching processes; their calls fail. */
  end(matches: (entry: Readonly<Pick<PoolEntry<T>, 'key' | 'owner' | 'purposes'>>) => boolean): void {
    for (const entry of this.#entries) if (matches(entry)) this.#end(entry);
  }

  /** Kills idle processes that must not get another call. */
  endRetired(): void {
    for (const entry of this.#entries) if (entry.state === 'idle' && entry.process.retired) this.#end(entry);
  }

  /** Kills all processes and waits until they have exited. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#idleTimer);
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const it of waiting) it.reject(closing());
    const entries = [...this.#entries];
    for (const it of entries) this.#end(it);
    await Promise.all(entries.map((it) => it.process.exited));
  }

  /** The fast path: no call waits, and a process of this key is idle. */
  #takeIdle({ key, purpose, signal }: PoolRequest<T>): PoolEntry<T> | undefined {
    if (this.#waiting.length > 0 || this.#closed || signal.aborted) return undefined;
    for (const entry of this.#entries) {
      if (entry.state !== 'idle' || entry.key !== key || entry.process.retired) continue;
      entry.state = 'busy';
      entry.purposes.add(purpose);
      return entry;
    }
    return undefined;
  }

  #waitForProcess(request: PoolRequest<T>): Promise<PoolEntry<T>> {
    const { signal } = request;
    return new Promise((resolve, reject) => {
      if (this.#closed) return reject(closing());
      if (signal.aborted) return reject(callCanceled());
      let waitSignal: CancelSignal | undefined;
      const giveUp = () => {
        this.#waiting = this.#waiting.filter((it) => it !== waiter);
        reject(callCanceled());
        // Requests behind this one may be servable now.
        this.#serve();
      };
      const waiter: Waiter<T> = {
        request,
        assign: (entry) => {
          waitSignal?.removeEventListener('abort', giveUp);
          resolve(entry);
        },
        reject: (error) => {
          waitSignal?.removeEventListener('abort', giveUp);
          reject(error);
        },
      };
      this.#waiting.push(waiter);
      this.#serve();
      if (!this.#waiting.includes(waiter)) return;
      waitSignal = request.waitSignal?.() ?? signal;
      waitSignal.addEventListener('abort', giveUp, { once: true });
    });
  }

  /** Assigns processes to waiting requests. */
  #serve(): void {
    let reservedPlaces = 0;
    let fullKey: string | undefined;
    const served = new Set<Waiter<T>>();
    const staysWaiting = (waiter: Waiter<T>): boolean => {
      const { key, owner } = waiter.request;
      // This key has no free process; many requests often wait for the same key.
      if (key === fullKey) return true;
      const own = [...this.#entries].filter((it) => it.key === key && it.state !== 'ending');
      const idle = own.find((it) => it.state === 'idle' && !it.process.retired);
      if (idle !== undefined) {
        idle.state = 'busy';
        idle.purposes.add(waiter.request.purpose);
        waiter.assign(idle);
        return false;
      }
      if (this.#rejectDuringBackoff(waiter)) return false;
      if (own.length >= this.#limits.perKey) {
        fullKey = key;
        return true;
      }
      if (this.#entries.size < this.#limits.processes) {
        this.#start(waiter);
        return false;
      }
      // Each process that is being killed frees a place for one waiting request; for a further one, evict another.
      const ending = [...this.#entries].filter((it) => it.state === 'ending').length;
      if (ending > reservedPlaces || this.#evict(owner)) {
        reservedPlaces++;
        return true;
      }
      if (!this.#hasReservedPlace(owner)) return true;
      this.#start(waiter);
      return false;
    };
    for (const waiter of this.#inFairOrder()) if (!staysWaiting(waiter)) served.add(waiter);
    if (served.size > 0) this.#waiting = this.#waiting.filter((it) => !served.has(it));
  }

  /** The order of arrival, if all requests are of the same owner. */
  #inFairOrder(): readonly Waiter<T>[] {
    const [first] = this.#waiting;
    if (this.#waiting.every((it) => it.request.owner.id === first?.request.owner.id)) return this.#waiting;
    const shares = new ProcessShares([...this.#entries].filter((it) => it.state === 'busy'));
    return [...this.#waiting].sort((a, b) => shares.compare(a.request.owner, b.request.owner));
  }

  /** All places are in use by calls of others, which may take long: this principal still gets one process. */
  #hasReservedPlace(owner: ProcessOwner): boolean {
    const { processes, reserved } = this.#limits;
    return (
      this.#entries.size < processes + reserved && new ProcessShares(this.#entries).ofPrincipal(owner) === 0
    );
  }

  /** After a failed start, requests for the same key fail with the same error for a while. */
  #rejectDuringBackoff({ request, reject }: Waiter<T>): boolean {
    const error = this.#failures.errorNow(request.key);
    if (error !== undefined) reject(error);
    return error !== undefined;
  }

  #start({ request, assign, reject }: Waiter<T>): void {
    let process: T;
    try {
      process = request.start();
    } catch (error) {
      this.#failures.record(request.key, error);
      reject(error);
      return;
    }
    const purposes = new Set([request.purpose]);
    const { key, owner } = request;
    const entry: PoolEntry<T> = { key, owner, process, purposes, state: 'busy', idleSince: 0 };
    this.#entries.add(entry);
    process.exited.then(() => {
      this.#entries.delete(entry);
      this.#serve();
    });
    assign(entry);
  }

  #release(entry: PoolEntry<T>): void {
    if (entry.state !== 'busy') return;
    if (entry.process.retired || this.#closed) {
      this.#end(entry);
      return;
    }
    entry.state = 'idle';
    entry.idleSince = performance.now();
    if (this.#idleTimer === undefined) this.#scheduleIdleCheck(this.#limits.idleMs);
    if (this.#waiting.length > 0) this.#serve();
  }

  #scheduleIdleCheck(milliseconds: number): void {
    this.#idleTimer = setTimeout(() => this.#endIdle(), milliseconds);
    // An idle process must not keep the host running.
    this.#idleTimer.unref();
  }

  /** Kills processes that were idle for too long, and schedules the next check. */
  #endIdle(): void {
    this.#idleTimer = undefined;
    const now = performance.now();
    let next = Number.POSITIVE_INFINITY;
    for (const entry of this.#entries) {
      if (entry.state !== 'idle') continue;
      const left = entry.idleSince + this.#limits.idleMs - now;
      if (left <= 0) this.#end(entry);
      else next = Math.min(next, left);
    }
    if (next !== Number.POSITIVE_INFINITY) this.#scheduleIdleCheck(Math.ceil(next));
  }

  #evict(owner: ProcessOwner): boolean {
    const all = [...this.#entries];
    const idle = all.filter((it) => it.state === 'idle');
    const evicted = processToEvict(owner, all, idle, (a, b) => a.idleSince - b.idleSince);
    if (evicted !== undefined) this.#end(evicted);
    return evicted !== undefined;
  }

  #end(entry: PoolEntry<T>): void {
    entry.state = 'ending';
    entry.process.kill();
  }
}

function closing(): HostError {
  return new HostError('canceled', 'the host is shutting down');
}
