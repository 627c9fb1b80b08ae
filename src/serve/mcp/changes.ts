/** What may be another after a change. */
export const changedLists = ['tools', 'prompts', 'resources'] as const;

const pauseMs = 100;

/** Tells listeners a moment after the first of several changes: a storm is a message now and then. */
export class Changes {
  readonly #listeners = new Set<() => void>();
  #timer: NodeJS.Timeout | undefined;

  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  note(): void {
    if (this.#timer !== undefined || this.#listeners.size === 0) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      for (const listener of [...this.#listeners]) listener();
    }, pauseMs);
    this.#timer.unref();
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#listeners.clear();
  }
}
