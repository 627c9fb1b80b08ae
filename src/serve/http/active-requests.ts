import { Cancellation } from '../../model/cancel-signal.js';
import { LiveMap } from '../../model/live-map.js';

/** Requests in progress. Each can be aborted; all are aborted when the server stops. */
export class ActiveRequests {
  readonly #open = new LiveMap<Cancellation, true>();
  readonly #idleListeners: (() => void)[] = [];
  #aborted = false;

  get size(): number {
    return this.#open.size;
  }

  begin(): Cancellation {
    const cancellation = new Cancellation();
    if (this.#aborted) cancellation.abort();
    this.#open.set(cancellation, true);
    return cancellation;
  }

  finish(request: Cancellation): void {
    this.#open.delete(request);
    if (this.#open.size === 0 && this.#idleListeners.length > 0)
      for (const resolve of this.#idleListeners.splice(0)) resolve();
  }

  /** Resolves when no request is in progress. */
  whenIdle(): Promise<void> {
    return this.#open.size === 0
      ? Promise.resolve()
      : new Promise((resolve) => this.#idleListeners.push(resolve));
  }

  /** Aborts all requests. Requests that start later are aborted immediately. */
  abortAll(): void {
    this.#aborted = true;
    for (const it of this.#open.keys()) it.abort();
  }
}
