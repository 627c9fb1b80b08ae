/** A token bucket: `capacity` at once, refilled with `perSecond`. */
export class TokenBucket {
  readonly #capacity: number;
  readonly #perSecond: number;
  readonly #now: () => number;
  #left: number;
  #at: number;

  /** `now`: milliseconds of a monotonic clock. */
  constructor(capacity: number, perSecond: number, now: () => number = () => performance.now()) {
    this.#capacity = capacity;
    this.#perSecond = perSecond;
    this.#now = now;
    this.#left = capacity;
    this.#at = now();
  }

  /** False if not enough tokens are left; then none are taken. */
  take(amount: number): boolean {
    const now = this.#now();
    this.#left = Math.min(this.#capacity, this.#left + ((now - this.#at) / 1000) * this.#perSecond);
    this.#at = now;
    if (amount > this.#left) return false;
    this.#left -= amount;
    return true;
  }
}
