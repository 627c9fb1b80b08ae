/** Parsed manifests. Rows of another build do not count. */
export interface ParseCacheStatements {
  get(subject: string, build: string): Promise<string | undefined>;
  /** Stores values by their subject and deletes what is old: rows of other builds, and all but the newest `maxRows`. */
  keep(
    all: ReadonlyMap<string, string>,
    row: { readonly build: string; readonly at: number; readonly maxRows: number },
  ): Promise<void>;
}
