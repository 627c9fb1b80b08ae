/** Counts the open sessions of each client that is named in its session options. */
export class OpenClients {
  readonly #sessions = new Map<string, number>();
  readonly #onGone: (ownerId: string) => void;

  /** `onGone`: called when the last session of a client was closed. */
  constructor(onGone: (ownerId: string) => void) {
    this.#onGone = onGone;
  }

  /** Returns a function to call once, when the session is closed. */
  enter(ownerId: string): () => void {
    this.#sessions.set(ownerId, (this.#sessions.get(ownerId) ?? 0) + 1);
    let hasLeft = false;
    return () => {
      if (hasLeft) return;
      hasLeft = true;
      const left = (this.#sessions.get(ownerId) ?? 1) - 1;
      if (left > 0) {
        this.#sessions.set(ownerId, left);
        return;
      }
      this.#sessions.delete(ownerId);
      this.#onGone(ownerId);
    };
  }
}
