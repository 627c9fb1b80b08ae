/** So much at once and so much per second on top; what goes beyond is too much. */
export class Budget {
  readonly #most: number;
  readonly #perSecond: number;
  readonly #now: () => number;
  #left: number;
  #at: number;

  /** `now`: milliseconds of a clock that never goes back. */
  constructor(most: number, perSecond: number, now: () => number = () => performance.now()) {
    this.#most = most;
    this.#perSecond = perSecond;
    this.#now = now;
    this.#left = most;
    this.#at = now();
  }

  /** False when there is not so much left; nothing is taken then. */
  take(amount: number): boolean {
    const now = this.#now();
    this.#left = Math.min(this.#most, this.#left + ((now - this.#at) / 1000) * this.#perSecond);
    this.#at = now;
    if (amount > this.#left) return false;
    this.#left -= amount;
    return true;
  }
}
