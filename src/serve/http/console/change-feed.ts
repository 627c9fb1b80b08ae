import { randomBytes } from 'node:crypto';
import type { Changes, ChangeTopic } from '../../../host/host.js';

/** Names of changes that share one event if they come at the same time. Milliseconds. */
const pauseMs = 50;

/**
 * Numbers the changes of a host, so that a page which lost its connection learns what it missed: for each topic only the
 * number of the newest change is kept.
 */
export class ChangeFeed {
  readonly #start = randomBytes(9).toString('base64url');
  readonly #newest = new Map<ChangeTopic, number>();
  readonly #listeners = new Set<() => void>();
  readonly #stop: () => void;
  #count = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(changes: Changes) {
    this.#stop = changes.onChange((topics) => {
      if (topics.length === 0) return;
      this.#count++;
      for (const it of topics) this.#newest.set(it, this.#count);
      this.#timer ??= setTimeout(() => {
        this.#timer = undefined;
        for (const it of this.#listeners) it();
      }, pauseMs);
    });
  }

  /** The position after the newest change. */
  get position(): string {
    return `${this.#start}.${this.#count}`;
  }

  /** What changed after a position. Null: everything may have, because the position is from another start. */
  since(position: string): readonly ChangeTopic[] | null {
    const [start, count] = position.split('.');
    if (start !== this.#start || !/^\d+$/.test(count ?? '')) return null;
    return [...this.#newest].flatMap(([topic, at]) => (at > Number(count) ? [topic] : []));
  }

  /** Calls `listener` after changes. Returns a function that stops it. */
  follow(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  close(): void {
    this.#stop();
    clearTimeout(this.#timer);
    this.#listeners.clear();
  }
}
