import type { SessionCatalog } from './session-catalog.js';

/** How many packages are copied before a session opens; the others follow in the background. */
const copiedFirst = 3;

/**
 * Copies packages to the stage, so that an edit that breaks one does not stop it. A package that is edited before its
 * copy is made is loaded again. If that edit breaks it, it cannot be called until it is valid.
 */
export class BackgroundStaging {
  readonly #running = new Set<Promise<void>>();
  #isClosed = false;

  /** Resolves when the first few copies are made. */
  async start(catalog: SessionCatalog): Promise<void> {
    let started = 0;
    let resolveFirst: () => void = () => {};
    const firstCopied = new Promise<void>((resolve) => {
      resolveFirst = resolve;
    });
    const next = async () => {
      started += 1;
      if (started > copiedFirst) {
        resolveFirst();
        await new Promise((resolve) => setImmediate(resolve));
      }
      return !this.#isClosed;
    };
    const work = catalog.stagePackages(next).finally(() => {
      resolveFirst();
      this.#running.delete(work);
    });
    this.#running.add(work);
    await firstCopied;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all(this.#running);
  }
}
