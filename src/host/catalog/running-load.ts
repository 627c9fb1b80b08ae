/** A load of packages that others wait for: who comes meanwhile gets the new packages too. */
export class RunningLoad {
  #running: Promise<unknown> | undefined;

  async run<T>(load: () => Promise<T>): Promise<T> {
    const running = load();
    // Who started it sees its error; the others go on with the packages before.
    const settled = running.catch(() => {});
    this.#running = settled;
    try {
      return await running;
    } finally {
      if (this.#running === settled) this.#running = undefined;
    }
  }

  /** Undefined if nothing runs. */
  get end(): Promise<unknown> | undefined {
    return this.#running;
  }
}
