import type { Database } from './database.js';

/** Only the newest rows are kept. */
const maxRows = 2000;

/**
 * Parsed manifests, stored for the next start. Rows are valid only for the build that wrote them, because another build
 * may parse the same files differently.
 */
export class ParseCacheRows {
  readonly #database: Database;
  readonly #build: string;
  readonly #now: () => number;

  constructor(database: Database, build: string, now: () => number) {
    this.#database = database;
    this.#build = build;
    this.#now = now;
  }

  async get(subject: string): Promise<string | undefined> {
    return this.#database.parseCache.get(subject, this.#build);
  }

  async keep(all: ReadonlyMap<string, string>): Promise<void> {
    await this.#database.parseCache.keep(all, { build: this.#build, at: this.#now(), maxRows });
  }
}
