/** What work is given up by. The platform's own is one; a `Stop` is one at a tenth of the price. */
export interface Signal {
  readonly aborted: boolean;
  addEventListener(type: 'abort', listener: () => void, options?: { readonly once?: boolean }): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/** Gives work up. Each listener is told once, in the order in which they came. */
export class Stop implements Signal {
  #aborted = false;
  readonly #listeners: (() => void)[] = [];

  get aborted(): boolean {
    return this.#aborted;
  }

  abort(): void {
    if (this.#aborted) return;
    this.#aborted = true;
    // Whoever stops listening meanwhile is not told.
    for (let next = this.#listeners.shift(); next !== undefined; next = this.#listeners.shift()) {
      try {
        next();
      } catch (error) {
        // A mistake of one keeps nobody else from being told, and does not stay hidden.
        Promise.reject(error);
      }
    }
  }

  addEventListener(_type: 'abort', listener: () => void): void {
    if (!this.#aborted && !this.#listeners.includes(listener)) this.#listeners.push(listener);
  }

  removeEventListener(_type: 'abort', listener: () => void): void {
    const at = this.#listeners.indexOf(listener);
    if (at !== -1) this.#listeners.splice(at, 1);
  }
}

/** For work that nobody gives up. */
export const unstoppable: Signal = {
  aborted: false,
  addEventListener() {},
  removeEventListener() {},
};
