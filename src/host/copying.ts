import type { SessionCatalog } from './session.js';

/** Packages whose files are copied before a session is used. */
const atOnce = 3;

/**
 * Copies of packages for the time when an edit breaks them. Of many packages, most are copied while clients already look at the
 * lists: what is edited before its turn is read again, and cannot be called until it is sound.
 */
export class Copying {
  readonly #under = new Set<Promise<void>>();
  #isOver = false;

  /** Resolves when the first few are there. */
  async begin(catalog: SessionCatalog): Promise<void> {
    let begun = 0;
    let enough: () => void = () => {};
    const few = new Promise<void>((resolve) => {
      enough = resolve;
    });
    const next = async () => {
      begun += 1;
      if (begun > atOnce) {
        enough();
        await new Promise((resolve) => setImmediate(resolve));
      }
      return !this.#isOver;
    };
    const work = catalog.keepCopies(next).finally(() => {
      enough();
      this.#under.delete(work);
    });
    this.#under.add(work);
    await few;
  }

  async close(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#under);
  }
}
