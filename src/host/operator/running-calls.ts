import { Cancellation, type CancelSignal } from '../../model/cancel-signal.js';
import { HostError } from '../../model/host-error.js';
import type { KillSubject } from '../../model/kill-target.js';
import { LiveMap } from '../../model/live-map.js';

/** One call that runs, or is about to. */
export interface RunningCall {
  /** Aborted when the caller cancels, an operator stops the call, or the host closes. */
  readonly signal: CancelSignal;
  /** Why an operator stopped it; undefined if none did, even if the caller canceled. */
  readonly stopReason: Error | undefined;
  leave(): void;
}

/** Calls at once, including those that wait for a process. More would only wait longer and use memory. */
const maxCalls = 1000;

interface Entry extends RunningCall {
  readonly subject: KillSubject;
  readonly signal: Cancellation;
  stopReason: Error | undefined;
}

/**
 * The calls that run now. Each has a signal of its own instead of `AbortSignal.any`: combined signals cost more than all
 * other bookkeeping of a call, and signals combined with a long-lived one are never freed.
 */
export class RunningCalls {
  #active = 0;
  readonly #entries = new LiveMap<Entry, true>();
  #onLeave: (() => void)[] = [];
  readonly #onIdle: (() => void)[] = [];
  #closed = false;

  enter(subject: KillSubject, callerSignal: CancelSignal | undefined): RunningCall {
    const stop = new Cancellation();
    const cancel = () => stop.abort();
    if (callerSignal?.aborted === true || this.#closed) cancel();
    else callerSignal?.addEventListener('abort', cancel, { once: true });
    const entry: Entry = {
      subject,
      signal: stop,
      stopReason: undefined,
      leave: () => {
        callerSignal?.removeEventListener('abort', cancel);
        this.#entries.delete(entry);
        if (this.#onLeave.length > 0) for (const notify of this.#onLeave.splice(0)) notify();
      },
    };
    this.#entries.set(entry, true);
    return entry;
  }

  /** Calls in progress. */
  get active(): number {
    return this.#active;
  }

  /** Counts a call from its arrival to its answer. */
  async track<T>(work: () => Promise<T>): Promise<T> {
    this.#active++;
    try {
      return await work();
    } finally {
      this.#active--;
      if (this.#active === 0) for (const notify of this.#onIdle.splice(0)) notify();
    }
  }

  /** Resolves when no call is in progress. */
  whenIdle(): Promise<void> {
    return this.#active === 0 ? Promise.resolve() : new Promise((resolve) => this.#onIdle.push(resolve));
  }

  assertCapacity(): void {
    if (this.#active <= maxCalls) return;
    throw new HostError('rate_limited', `the host already runs ${maxCalls} calls and accepts no more now`, {
      hint: 'nothing was run; call again in a moment',
    });
  }

  /** Stops the matching calls. `count`: how many; `gone`: resolves when the last of them has ended. */
  stop(matches: (subject: KillSubject) => boolean, reason: Error): { count: number; gone: Promise<void> } {
    const hit = this.#entries.keys().filter((it) => matches(it.subject));
    for (const entry of hit) {
      entry.stopReason ??= reason;
      entry.signal.abort();
    }
    return { count: hit.length, gone: this.#gone(hit) };
  }

  /** Aborts all running calls, and every call that comes later. */
  close(): void {
    this.#closed = true;
    for (const { signal } of this.#entries.keys()) signal.abort();
  }

  async #gone(entries: readonly Entry[]): Promise<void> {
    while (entries.some((it) => this.#entries.has(it)))
      await new Promise<void>((resolve) => this.#onLeave.push(resolve));
  }
}
