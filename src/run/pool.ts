import { HostError } from '../model/host-error.js';
import type { Signal } from '../model/signal.js';
import type { WorkerProcess } from './worker/process.js';

/** A process that can serve one call after the other. */
export interface PooledProcess {
  /** It came up and took work. */
  readonly started: boolean;
  /** It is gone, going or used up. */
  readonly spent: boolean;
  /** Resolves when nothing of it is left; never rejects. */
  readonly exited: Promise<unknown>;
  kill(): void;
}

export interface PoolOptions {
  /** Alive at once, those that are being ended included. */
  readonly processes?: number;
  /** Of these, how many may serve the same key. */
  readonly perKey?: number;
  /** How long a process is kept without work. */
  readonly idleMs?: number;
  /** How long a key rests after its first failed start; doubled with each further one. */
  readonly restMs?: number;
}

export interface PoolRequest<T> {
  readonly key: string;
  /** What it is used for: a process remembers all that it was ever used for. */
  readonly use: string;
  readonly signal: Signal;
  /** Ends the waiting, and only that; asked for when there is somebody to wait for. */
  readonly patience?: () => Signal;
  readonly start: () => T;
}

export interface PoolState {
  readonly processes: number;
  readonly busy: number;
  readonly waiting: number;
}

interface Seat<T> {
  readonly key: string;
  readonly process: T;
  readonly uses: Set<string>;
  state: 'busy' | 'idle' | 'ending';
  idleSince: number;
}

interface Waiter<T> {
  readonly request: PoolRequest<T>;
  readonly seat: (seat: Seat<T>) => void;
  readonly refuse: (error: unknown) => void;
}

/** What a start came to that did not work. */
interface Failure {
  readonly error: unknown;
  readonly times: number;
  readonly until: number;
}

const longestRestMs = 30_000;
const rememberedFailures = 256;

/**
 * Processes kept between calls. Each serves one call at a time, so that a crash, a hang or a canceled call takes no
 * other call with it; more calls for the same key get more processes, up to a bound. Whoever finds no place waits in
 * order, and the process that has been idle longest makes room.
 */
export class ProcessPool<T extends PooledProcess = WorkerProcess> {
  readonly #limits: Required<PoolOptions>;
  readonly #seats = new Set<Seat<T>>();
  readonly #failures = new Map<string, Failure>();
  #waiting: Waiter<T>[] = [];
  #closed = false;
  /** One for all: a timer for each process would be set and cleared with every call. */
  #sweeping: NodeJS.Timeout | undefined;

  constructor(options: PoolOptions = {}) {
    this.#limits = { processes: 16, perKey: 4, idleMs: 60_000, restMs: 500, ...options };
  }

  /** Lends a process to `work`, which alone may use it until it settles. */
  async use<R>(request: PoolRequest<T>, work: (process: T) => Promise<R>): Promise<R> {
    const seat = this.#free(request) ?? (await this.#take(request));
    try {
      return await work(seat.process);
    } catch (error) {
      if (!seat.process.started) this.#noteFailure(request.key, error);
      throw error;
    } finally {
      if (seat.process.started) this.#failures.delete(request.key);
      this.#release(seat);
    }
  }

  get state(): PoolState {
    const busy = [...this.#seats].filter((it) => it.state === 'busy').length;
    return { processes: this.#seats.size, busy, waiting: this.#waiting.length };
  }

  /** Ends these processes at once; calls in them fail. */
  end(matches: (key: string, uses: ReadonlySet<string>) => boolean): void {
    for (const seat of this.#seats) if (matches(seat.key, seat.uses)) this.#end(seat);
  }

  /** Ends everything and waits until it is gone. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#sweeping);
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const it of waiting) it.refuse(closing());
    const seats = [...this.#seats];
    for (const it of seats) this.#end(it);
    await Promise.all(seats.map((it) => it.process.exited));
  }

  /** The usual case, without the ceremony: nobody waits, and a process of this key has nothing to do. */
  #free({ key, use, signal }: PoolRequest<T>): Seat<T> | undefined {
    if (this.#waiting.length > 0 || this.#closed || signal.aborted) return undefined;
    for (const seat of this.#seats) {
      if (seat.state !== 'idle' || seat.key !== key || seat.process.spent) continue;
      seat.state = 'busy';
      seat.uses.add(use);
      return seat;
    }
    return undefined;
  }

  #take(request: PoolRequest<T>): Promise<Seat<T>> {
    const { signal } = request;
    return new Promise((resolve, reject) => {
      if (this.#closed) return reject(closing());
      const canceled = () => new HostError('canceled', 'the call was canceled');
      if (signal.aborted) return reject(canceled());
      let patience: Signal | undefined;
      const giveUp = () => {
        this.#waiting = this.#waiting.filter((it) => it !== waiter);
        reject(canceled());
        // Others may have waited behind this one only.
        this.#serve();
      };
      const waiter: Waiter<T> = {
        request,
        seat: (seat) => {
          patience?.removeEventListener('abort', giveUp);
          resolve(seat);
        },
        refuse: (error) => {
          patience?.removeEventListener('abort', giveUp);
          reject(error);
        },
      };
      this.#waiting.push(waiter);
      this.#serve();
      if (!this.#waiting.includes(waiter)) return;
      patience = request.patience?.() ?? signal;
      patience.addEventListener('abort', giveUp, { once: true });
    });
  }

  /** Gives out what there is, first come first served. */
  #serve(): void {
    let promised = 0;
    let full: string | undefined;
    this.#waiting = this.#waiting.filter((waiter) => {
      const { key } = waiter.request;
      // A key that found nothing a moment ago finds nothing now: many wait for the same one.
      if (key === full) return true;
      const own = [...this.#seats].filter((it) => it.key === key && it.state !== 'ending');
      const idle = own.find((it) => it.state === 'idle' && !it.process.spent);
      if (idle !== undefined) {
        idle.state = 'busy';
        idle.uses.add(waiter.request.use);
        waiter.seat(idle);
        return false;
      }
      if (this.#rests(waiter)) return false;
      if (own.length >= this.#limits.perKey) {
        full = key;
        return true;
      }
      if (this.#seats.size < this.#limits.processes) {
        this.#start(waiter);
        return false;
      }
      // A place that is being cleared is this one's; for another, somebody has to go.
      const ending = [...this.#seats].filter((it) => it.state === 'ending').length;
      if (ending > promised || this.#evict()) promised++;
      return true;
    });
  }

  /** A program that does not come up is left alone for a while; the reason is told again instead. */
  #rests({ request, refuse }: Waiter<T>): boolean {
    const failure = this.#failures.get(request.key);
    const left = (failure?.until ?? 0) - performance.now();
    if (failure === undefined || left <= 0) return false;
    const { error } = failure;
    const seconds = Math.max(1, Math.ceil(left / 1000));
    const hint = `it failed to start ${times(failure.times)}; the next try is possible in ${seconds} s`;
    refuse(
      error instanceof HostError ? new HostError(error.code, error.message, { hint, cause: error }) : error,
    );
    return true;
  }

  #start({ request, seat: give, refuse }: Waiter<T>): void {
    let process: T;
    try {
      process = request.start();
    } catch (error) {
      this.#noteFailure(request.key, error);
      refuse(error);
      return;
    }
    const uses = new Set([request.use]);
    const seat: Seat<T> = { key: request.key, process, uses, state: 'busy', idleSince: 0 };
    this.#seats.add(seat);
    process.exited.then(() => {
      this.#seats.delete(seat);
      this.#serve();
    });
    give(seat);
  }

  #release(seat: Seat<T>): void {
    if (seat.state !== 'busy') return;
    if (seat.process.spent || this.#closed) {
      this.#end(seat);
      return;
    }
    seat.state = 'idle';
    seat.idleSince = performance.now();
    if (this.#sweeping === undefined) this.#sweepIn(this.#limits.idleMs);
    if (this.#waiting.length > 0) this.#serve();
  }

  #sweepIn(milliseconds: number): void {
    this.#sweeping = setTimeout(() => this.#sweep(), milliseconds);
    // A process without work is no reason for the host to stay.
    this.#sweeping.unref();
  }

  /** Ends what has been idle for long, and comes again when the next one will have been. */
  #sweep(): void {
    this.#sweeping = undefined;
    const now = performance.now();
    let next = Number.POSITIVE_INFINITY;
    for (const seat of this.#seats) {
      if (seat.state !== 'idle') continue;
      const left = seat.idleSince + this.#limits.idleMs - now;
      if (left <= 0) this.#end(seat);
      else next = Math.min(next, left);
    }
    if (next !== Number.POSITIVE_INFINITY) this.#sweepIn(Math.ceil(next));
  }

  #evict(): boolean {
    let longest: Seat<T> | undefined;
    for (const seat of this.#seats) {
      if (seat.state === 'idle' && (longest === undefined || seat.idleSince < longest.idleSince))
        longest = seat;
    }
    if (longest !== undefined) this.#end(longest);
    return longest !== undefined;
  }

  #end(seat: Seat<T>): void {
    seat.state = 'ending';
    seat.process.kill();
  }

  #noteFailure(key: string, error: unknown): void {
    // Somebody who gave up says nothing about the program.
    if (error instanceof HostError && error.code === 'canceled') return;
    const now = performance.now();
    const earlier = this.#failures.get(key);
    // Starts that were under way together count once.
    if (earlier !== undefined && earlier.until > now) return;
    const count = (earlier?.times ?? 0) + 1;
    const rest = Math.min(this.#limits.restMs * 2 ** (count - 1), longestRestMs);
    this.#failures.delete(key);
    this.#failures.set(key, { error, times: count, until: now + rest });
    const [oldest] = this.#failures.keys();
    if (this.#failures.size > rememberedFailures && oldest !== undefined) this.#failures.delete(oldest);
  }
}

function closing(): HostError {
  return new HostError('canceled', 'the host is being closed');
}

function times(count: number): string {
  return count === 1 ? 'a moment ago' : `${count} times in a row`;
}
