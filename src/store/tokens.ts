import { createHash } from 'node:crypto';
import type { Database, TokenTable } from './database.js';

/** A token that is kept. */
export interface TokenRow extends TokenTable {
  /** Whether its name stands for it alone: it was the first to have it. */
  readonly named: boolean;
}

/**
 * Tokens for coming in over HTTP. The token itself is never kept: whoever reads the database cannot use it. A name is its
 * first token's for good, since calls are held and allowed under it.
 */
export class TokenRows {
  readonly #database: Database;
  readonly #now: () => number;

  constructor(database: Database, now: () => number) {
    this.#database = database;
    this.#now = now;
  }

  async add(row: Omit<TokenTable, 'digest' | 'created_at'>, token: string): Promise<TokenRow> {
    const made = { ...row, digest: digestOf(token), created_at: this.#now() };
    return this.#database.transaction().execute(async (transaction) => {
      await transaction.insertInto('token').values(made).execute();
      const claim = await transaction
        .insertInto('token_name')
        .values({ name: made.name, token: made.id })
        .onConflict((conflict) => conflict.column('name').doNothing())
        .executeTakeFirst();
      return { ...made, named: claim.numInsertedOrUpdatedRows === 1n };
    });
  }

  async list(): Promise<readonly TokenRow[]> {
    return (await this.#rows().orderBy('created_at').orderBy('id').execute()).map(rowOf);
  }

  async remove(id: string): Promise<boolean> {
    const result = await this.#database.deleteFrom('token').where('id', '=', id).executeTakeFirst();
    return result.numDeletedRows === 1n;
  }

  /** Found by digest, so that how long a comparison takes says nothing about the token. */
  async find(token: string): Promise<TokenRow | undefined> {
    const row = await this.#rows().where('digest', '=', digestOf(token)).executeTakeFirst();
    if (row === undefined || (row.expires_at !== null && row.expires_at <= this.#now())) return undefined;
    return rowOf(row);
  }

  #rows() {
    return this.#database
      .selectFrom('token')
      .leftJoin('token_name', 'token_name.token', 'token.id')
      .selectAll('token')
      .select('token_name.token as named');
  }
}

function rowOf(row: TokenTable & { named: string | null }): TokenRow {
  return { ...row, named: row.named !== null };
}

function digestOf(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
