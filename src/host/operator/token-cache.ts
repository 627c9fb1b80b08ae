import type { TokenTable } from '../../store/state-tables.js';
import type { TokenRows } from '../../store/tokens.js';

/** The last use of a token is written this often. Milliseconds. */
const useIntervalMs = 60_000;

/**
 * Caches valid tokens by digest, because every request looks one up. No other process writes to the database, so all
 * changes go through `add` and `remove`. Expiry is checked at every lookup.
 */
export class TokenCache {
  readonly #rows: TokenRows;
  readonly #now: () => number;
  readonly #digest: (token: string) => string;
  readonly #cached = new Map<string, TokenTable>();
  readonly #listeners = new Set<(id: string) => void>();
  /** When the use of each token was written, by id. */
  readonly #used = new Map<string, number>();
  /** Counts changes, so that a lookup that began before a change is not cached. */
  #changes = 0;

  constructor(rows: TokenRows, now: () => number, digest: (token: string) => string) {
    this.#rows = rows;
    this.#now = now;
    this.#digest = digest;
  }

  async add(...entry: Parameters<TokenRows['add']>): Promise<TokenTable | undefined> {
    this.#clear();
    return this.#rows.add(...entry);
  }

  list(): Promise<readonly TokenTable[]> {
    return this.#rows.list();
  }

  /** Not cached: only a decision of a person at a client needs it. */
  get(id: string): Promise<TokenTable | undefined> {
    return this.#rows.get(id);
  }

  async remove(id: string): Promise<boolean> {
    this.#clear();
    try {
      return await this.#rows.remove(id);
    } finally {
      this.#clear();
      this.#used.delete(id);
      for (const listener of this.#listeners) listener(id);
    }
  }

  /** Calls `listener` with the id of each token that is removed. Returns a function that stops it. */
  onRemove(listener: (id: string) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  async find(token: string): Promise<TokenTable | undefined> {
    const row = await this.#find(token);
    if (row !== undefined) this.#noteUse(row.id);
    return row;
  }

  async #find(token: string): Promise<TokenTable | undefined> {
    const digest = this.#digest(token);
    const cached = this.#cached.get(digest);
    if (cached !== undefined)
      return cached.expires_at !== null && cached.expires_at <= this.#now() ? undefined : cached;
    const changes = this.#changes;
    const row = await this.#rows.find(token);
    if (row !== undefined && changes === this.#changes) this.#cached.set(digest, row);
    return row;
  }

  /** Not cached: only the message for a token that is not accepted needs it. */
  findExpired(token: string): Promise<TokenTable | undefined> {
    return this.#rows.findExpired(token);
  }

  /** Nothing waits for it, and nothing depends on it. */
  #noteUse(id: string): void {
    const at = this.#now();
    if (at - (this.#used.get(id) ?? 0) < useIntervalMs) return;
    this.#used.set(id, at);
    this.#rows.noteUse(id, at).catch(() => {});
  }

  #clear(): void {
    this.#changes++;
    this.#cached.clear();
  }
}
