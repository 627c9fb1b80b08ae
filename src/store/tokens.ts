import { createHash } from 'node:crypto';
import type { Database, TokenTable } from './database.js';

/** Tokens for coming in over HTTP. The token itself is never kept: whoever reads the database cannot use it. */
export class TokenRows {
  readonly #database: Database;
  readonly #now: () => number;

  constructor(database: Database, now: () => number) {
    this.#database = database;
    this.#now = now;
  }

  async add(row: Omit<TokenTable, 'digest' | 'created_at'>, token: string): Promise<TokenTable> {
    const made = { ...row, digest: digestOf(token), created_at: this.#now() };
    await this.#database.insertInto('token').values(made).execute();
    return made;
  }

  async list(): Promise<readonly TokenTable[]> {
    return this.#database.selectFrom('token').selectAll().orderBy('created_at').orderBy('id').execute();
  }

  async remove(id: string): Promise<boolean> {
    const result = await this.#database.deleteFrom('token').where('id', '=', id).executeTakeFirst();
    return result.numDeletedRows === 1n;
  }

  /** Found by digest, so that how long a comparison takes says nothing about the token. */
  async find(token: string): Promise<TokenTable | undefined> {
    const row = await this.#database
      .selectFrom('token')
      .selectAll()
      .where('digest', '=', digestOf(token))
      .executeTakeFirst();
    return row === undefined || (row.expires_at !== null && row.expires_at <= this.#now()) ? undefined : row;
  }
}

function digestOf(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
