import type { TokenRow, TokenRows } from '../store/tokens.js';

/**
 * Stored tokens, remembered by digest once they were found good: they are asked for with every request. Nobody else has
 * the database, so what is added or removed here is all that changes; that a token has run out is looked at each time.
 */
export class KnownTokens {
  readonly #rows: TokenRows;
  readonly #now: () => number;
  readonly #digest: (token: string) => string;
  readonly #found = new Map<string, TokenRow>();
  /** Grows with every change, so that what was being looked up meanwhile is not remembered. */
  #changes = 0;

  constructor(rows: TokenRows, now: () => number, digest: (token: string) => string) {
    this.#rows = rows;
    this.#now = now;
    this.#digest = digest;
  }

  async add(...entry: Parameters<TokenRows['add']>): Promise<TokenRow> {
    this.#forget();
    return this.#rows.add(...entry);
  }

  list(): Promise<readonly TokenRow[]> {
    return this.#rows.list();
  }

  async remove(id: string): Promise<boolean> {
    this.#forget();
    try {
      return await this.#rows.remove(id);
    } finally {
      this.#forget();
    }
  }

  async find(token: string): Promise<TokenRow | undefined> {
    const digest = this.#digest(token);
    const known = this.#found.get(digest);
    if (known !== undefined)
      return known.expires_at !== null && known.expires_at <= this.#now() ? undefined : known;
    const changes = this.#changes;
    const row = await this.#rows.find(token);
    if (row !== undefined && changes === this.#changes) this.#found.set(digest, row);
    return row;
  }

  #forget(): void {
    this.#changes++;
    this.#found.clear();
  }
}
