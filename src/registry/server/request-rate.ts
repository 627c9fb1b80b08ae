export interface RequestRateOptions {
  /** Requests in a minute, spread evenly. */
  readonly perMinute: number;
  /** How many may come at once. */
  readonly burst: number;
  /** How many callers are remembered; of more, the one that was quiet for longest is forgotten. Default: 10,000. */
  readonly callers?: number;
}

interface Caller {
  tokens: number;
  at: number;
}

/** A bucket of tokens per caller, in memory. */
export class RequestRate {
  readonly #options: Required<RequestRateOptions>;
  readonly #now: () => number;
  readonly #callers = new Map<string, Caller>();

  /** `now`: milliseconds that never go back. */
  constructor(options: RequestRateOptions, now: () => number) {
    this.#options = { callers: 10_000, ...options };
    this.#now = now;
  }

  /** Seconds until the caller may try again; 0: it may go on. */
  take(caller: string): number {
    const { perMinute, burst, callers } = this.#options;
    const now = this.#now();
    const known = this.#callers.get(caller);
    const perMs = perMinute / 60_000;
    const tokens = known === undefined ? burst : Math.min(burst, known.tokens + (now - known.at) * perMs);
    this.#callers.delete(caller);
    if (this.#callers.size >= callers) {
      const [quiet] = this.#callers.keys();
      if (quiet !== undefined) this.#callers.delete(quiet);
    }
    const left = tokens < 1 ? tokens : tokens - 1;
    this.#callers.set(caller, { tokens: left, at: now });
    return tokens < 1 ? Math.max(1, Math.ceil((1 - tokens) / perMs / 1000)) : 0;
  }
}
