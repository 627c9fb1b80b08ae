import type { Session } from '../../host/host.js';
import { Cancellation } from '../../model/cancel-signal.js';
import { invalidParams, RpcError } from './json-rpc.js';

/** Resources that one client watches at the same time. */
const maxWatched = 64;
/** Milliseconds between two reports about one resource. Updates in between are one report. */
const intervalMs = 100;

/** The resources that one client watches, and its reports about them. */
export class WatchedResources {
  readonly #resources: Pick<Session, 'subscribe'>;
  readonly #report: (uri: string) => void;
  readonly #watched = new Map<string, Cancellation>();
  /** Reports that wait, by address. False: nothing changed since the last report. */
  readonly #waiting = new Map<string, boolean>();

  constructor(resources: Pick<Session, 'subscribe'>, report: (uri: string) => void) {
    this.#resources = resources;
    this.#report = report;
  }

  /** Resolves when updates are reported. Throws if the resource cannot be watched. */
  async add(uri: string): Promise<void> {
    if (this.#watched.has(uri)) return;
    if (this.#watched.size >= maxWatched)
      throw new RpcError(invalidParams, `a client can watch at most ${maxWatched} resources at once`);
    const stop = new Cancellation();
    this.#watched.set(uri, stop);
    const onUpdate = (it: string) => {
      if (!stop.aborted) this.#update(it);
    };
    try {
      await this.#resources.subscribe(uri, onUpdate, stop);
    } catch (error) {
      stop.abort();
      if (this.#watched.get(uri) === stop) this.#watched.delete(uri);
      throw error;
    }
  }

  remove(uri: string): void {
    this.#watched.get(uri)?.abort();
    this.#watched.delete(uri);
  }

  close(): void {
    for (const uri of [...this.#watched.keys()]) this.remove(uri);
  }

  #update(uri: string): void {
    if (this.#waiting.has(uri)) {
      this.#waiting.set(uri, true);
      return;
    }
    this.#report(uri);
    this.#waiting.set(uri, false);
    const timer = setTimeout(() => {
      const isChanged = this.#waiting.get(uri) === true;
      this.#waiting.delete(uri);
      if (isChanged && this.#watched.size > 0) this.#update(uri);
    }, intervalMs);
    timer.unref();
  }
}
