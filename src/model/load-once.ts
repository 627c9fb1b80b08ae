/** A value that is loaded when it is first needed. All callers share one load, and a load that failed is forgotten. */
export class LoadOnce<T> {
  readonly #load: () => Promise<T>;
  #loading: Promise<T> | undefined;

  constructor(load: () => Promise<T>) {
    this.#load = load;
  }

  get(): Promise<T> {
    if (this.#loading !== undefined) return this.#loading;
    const loading = this.#load();
    this.#loading = loading;
    loading.catch(() => {
      if (this.#loading === loading) this.#loading = undefined;
    });
    return loading;
  }

  /** The next caller loads again. A load under way goes on for those who wait for it. */
  forget(): void {
    this.#loading = undefined;
  }
}
