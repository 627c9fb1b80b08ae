import type { CancelSignal } from '../model/cancel-signal.js';
import { callCanceled, HostError } from '../model/host-error.js';

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
  /** Maximum number of processes with the same key. */
  readonly perKey?: number;
  /** How long an idle process is kept. */
  readonly idleMs?: number;
  /** Delay after the first failed start of a key; doubled with each further failure. */
  readonly backoffMs?: number;
}

export interface PoolRequest<T> {
  readonly key: string;
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

interface PoolEntry<T> {
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

/** The last failed start of a key. */
interface StartFailure {
  readonly error: unknown;
  readonly times: number;
  readonly until: number;
}

const maxBackoffMs = 30_000;
const maxFailures = 256;

/**
 * Processes that are reused for later calls. Each serves one call at a time, so that a crash, a hang or a cancellation
 * affects no other call. Parallel calls for the same key get more processes, up to a limit. Further calls wait in order;
 * if the pool is full, the process that has been idle oldest is killed.
 */
export class ProcessPool<T extends PooledProcess> {
  readonly #limits: Required<PoolOptions>;
  readonly #entries = new Set<PoolEntry<T>>();
  readonly #failures = new Map<string, StartFailure>();
  #waiting: Waiter<T>[] = [];
  #closed = false;
  /** One timer for all processes; one per process would be set and cleared with every call. */
  #idleTimer: NodeJS.Timeout | undefined;

  constructor(options: PoolOptions = {}) {
    this.#limits = { processes: 16, perKey: 4, idleMs: 60_000, backoffMs: 500, ...options };
  }

  /** Runs `work` with a process that no other call uses until `work` settles. */
  async use<R>(request: PoolRequest<T>, work: (process: T) => Promise<R>): Promise<R> {
    const entry = this.#takeIdle(request) ?? (await this.#waitForProcess(request));
    try {
      return await work(entry.process);
    } catch (error) {
      if (!entry.process.started) this.#recordFailure(request.key, error);
      throw error;
    } finally {
      if (entry.process.started) this.#failures.delete(request.key);
      this.#release(entry);
    }
  }

  get state(): PoolState {
    const busy = [...this.#entries].filter((it) => it.state === 'busy').length;
    return { processes: this.#entries.size, busy, waiting: this.#waiting.length };
  }

  /** Kills the matching processes; their calls fail. */
  end(matches: (key: string, purposes: ReadonlySet<string>) => boolean): void {
    for (const entry of this.#entries) if (matches(entry.key, entry.purposes)) this.#end(entry);
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

  /** Assigns processes to waiting requests, first come, first served. */
  #serve(): void {
    let reservedPlaces = 0;
    let fullKey: string | undefined;
    this.#waiting = this.#waiting.filter((waiter) => {
      const { key } = waiter.request;
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
      if (ending > reservedPlaces || this.#evict()) reservedPlaces++;
      return true;
    });
  }

  /** After a failed start the key is not started again for a while; requests fail with the same error. */
  #rejectDuringBackoff({ request, reject }: Waiter<T>): boolean {
    const failure = this.#failures.get(request.key);
    const left = (failure?.until ?? 0) - performance.now();
    if (failure === undefined || left <= 0) return false;
    const { error } = failure;
    const seconds = Math.max(1, Math.ceil(left / 1000));
    const hint = `it failed to start ${times(failure.times)}; try again in ${seconds} s`;
    reject(
      error instanceof HostError ? new HostError(error.code, error.message, { hint, cause: error }) : error,
    );
    return true;
  }

  #start({ request, assign, reject }: Waiter<T>): void {
    let process: T;
    try {
      process = request.start();
    } catch (error) {
      this.#recordFailure(request.key, error);
      reject(error);
      return;
    }
    const purposes = new Set([request.purpose]);
    const entry: PoolEntry<T> = { key: request.key, process, purposes, state: 'busy', idleSince: 0 };
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

  #evict(): boolean {
    let oldest: PoolEntry<T> | undefined;
    for (const entry of this.#entries) {
      if (entry.state === 'idle' && (oldest === undefined || entry.idleSince < oldest.idleSince))
        oldest = entry;
    }
    if (oldest !== undefined) this.#end(oldest);
    return oldest !== undefined;
  }

  #end(entry: PoolEntry<T>): void {
    entry.state = 'ending';
    entry.process.kill();
  }

  #recordFailure(key: string, error: unknown): void {
    // A canceled request is not a failure of the program.
    if (error instanceof HostError && error.code === 'canceled') return;
    const now = performance.now();
    const earlier = this.#failures.get(key);
    // Parallel starts count once.
    if (earlier !== undefined && earlier.until > now) return;
    const count = (earlier?.times ?? 0) + 1;
    const backoff = Math.min(this.#limits.backoffMs * 2 ** (count - 1), maxBackoffMs);
    this.#failures.delete(key);
    this.#failures.set(key, { error, times: count, until: now + backoff });
    const [oldest] = this.#failures.keys();
    if (this.#failures.size > maxFailures && oldest !== undefined) this.#failures.delete(oldest);
  }
}

function closing(): HostError {
  return new HostError('canceled', 'the host is shutting down');
}

function times(count: number): string {
  return count === 1 ? 'a moment ago' : `${count} times in a row`;
}
