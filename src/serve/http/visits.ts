import { Stop } from '../../model/signal.js';

/** Requests under way. Each can be given up; all of them are when the server ends. */
export class Visits {
  readonly #open = new Set<Stop>();
  readonly #waiting: (() => void)[] = [];
  #ended = false;

  get size(): number {
    return this.#open.size;
  }

  begin(): Stop {
    const stop = new Stop();
    if (this.#ended) stop.abort();
    this.#open.add(stop);
    return stop;
  }

  over(visit: Stop): void {
    this.#open.delete(visit);
    if (this.#open.size === 0 && this.#waiting.length > 0) for (const tell of this.#waiting.splice(0)) tell();
  }

  /** Resolves when nobody is here any more. */
  emptied(): Promise<void> {
    return this.#open.size === 0 ? Promise.resolve() : new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** Whoever comes later is given up at once. */
  end(): void {
    this.#ended = true;
    for (const it of this.#open) it.abort();
  }
}
