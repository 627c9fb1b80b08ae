/** Lists that may differ after a change. */
export const watchedLists = ['tools', 'prompts', 'resources'] as const;

const delayMs = 100;

/** Notifies listeners shortly after the first of several changes, so that many changes cause few notifications. */
export class ChangeNotifier {
  readonly #listeners = new Set<() => void>();
  #timer: NodeJS.Timeout | undefined;

  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  notify(): void {
    if (this.#timer !== undefined || this.#listeners.size === 0) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      for (const listener of [...this.#listeners]) listener();
    }, delayMs);
    this.#timer.unref();
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#listeners.clear();
  }
}
