import { HostError } from '../model/host-error.js';
import type { KillSubject } from '../model/kill.js';
import { type Signal, Stop } from '../model/signal.js';

/** One call that has an effect, or is about to. */
export interface RunningCall {
  /** Aborted when the caller gives up, somebody stops the call, or the host is closed. */
  readonly signal: Signal;
  /** Why it was stopped; undefined where the caller gave up or nobody did anything. */
  readonly stopped: Error | undefined;
  leave(): void;
}

/** Calls at once, those that wait for a process included. More would only wait longer, and take memory. */
const mostInside = 1000;

interface Entry {
  readonly subject: KillSubject;
  readonly stop: Stop;
  stopped: Error | undefined;
}

/**
 * The calls that run now. Each has one signal of its own instead of a combined one: combined signals cost more than all
 * the rest of a call's bookkeeping, and those that hang on a signal that lives long are never freed.
 */
export class RunningCalls {
  #inside = 0;
  readonly #entries = new Set<Entry>();
  #left: (() => void)[] = [];
  readonly #emptied: (() => void)[] = [];
  #closed = false;

  enter(subject: KillSubject, given: Signal | undefined): RunningCall {
    const stop = new Stop();
    const entry: Entry = { subject, stop, stopped: undefined };
    const giveUp = () => stop.abort();
    if (given?.aborted === true || this.#closed) giveUp();
    else given?.addEventListener('abort', giveUp, { once: true });
    this.#entries.add(entry);
    return {
      signal: stop,
      get stopped() {
        return entry.stopped;
      },
      leave: () => {
        given?.removeEventListener('abort', giveUp);
        this.#entries.delete(entry);
        if (this.#left.length > 0) for (const tell of this.#left.splice(0)) tell();
      },
    };
  }

  /** Counts a call from its arrival to its answer. */
  async counted<T>(work: () => Promise<T>): Promise<T> {
    this.#inside++;
    try {
      return await work();
    } finally {
      this.#inside--;
      if (this.#inside === 0) for (const tell of this.#emptied.splice(0)) tell();
    }
  }

  /** Resolves when no call is under way. */
  emptied(): Promise<void> {
    return this.#inside === 0 ? Promise.resolve() : new Promise((resolve) => this.#emptied.push(resolve));
  }

  assertRoom(): void {
    if (this.#inside <= mostInside) return;
    throw new HostError('rate_limited', `the host has ${mostInside} calls under way and takes no more now`, {
      hint: 'nothing was done; call again in a moment',
    });
  }

  /** Stops those that match; tells how many, and when the last of them has left. */
  stop(matches: (subject: KillSubject) => boolean, reason: Error): { count: number; gone: Promise<void> } {
    const hit = [...this.#entries].filter((it) => matches(it.subject));
    for (const entry of hit) {
      entry.stopped ??= reason;
      entry.stop.abort();
    }
    return { count: hit.length, gone: this.#gone(hit) };
  }

  /** From now on everything that runs, or is about to, is given up. */
  close(): void {
    this.#closed = true;
    for (const { stop } of this.#entries) stop.abort();
  }

  async #gone(entries: readonly Entry[]): Promise<void> {
    while (entries.some((it) => this.#entries.has(it)))
      await new Promise<void>((resolve) => this.#left.push(resolve));
  }
}
