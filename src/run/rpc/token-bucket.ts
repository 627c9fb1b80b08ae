/** An amount at once, and how much more each second. */
export interface BurstRate {
  readonly burst: number;
  readonly perSecond: number;
}

/** Counts against a rate limit: holds `burst` tokens at most, and gets `perSecond` new ones. */
export class TokenBucket {
  readonly #limit: BurstRate;
  readonly #now: () => number;
  #left: number;
  #at: number;

  /** `now`: milliseconds of a monotonic clock. */
  constructor(limit: BurstRate, now: () => number = () => performance.now()) {
    this.#limit = limit;
    this.#now = now;
    this.#left = limit.burst;
    this.#at = now();
  }

  /** False if not enough tokens are left; then none are taken. */
  take(amount: number): boolean {
    this.#refill();
    if (amount > this.#left) return false;
    this.#left -= amount;
    return true;
  }

  /** Takes the tokens in any case. Returns the milliseconds until the debt is paid; 0 if there is none. */
  borrow(amount: number): number {
    this.#refill();
    this.#left -= amount;
    return this.#left >= 0 ? 0 : (-this.#left / this.#limit.perSecond) * 1000;
  }

  #refill(): void {
    const { burst, perSecond } = this.#limit;
    const now = this.#now();
    this.#left = Math.min(burst, this.#left + ((now - this.#at) / 1000) * perSecond);
    this.#at = now;
  }
}
