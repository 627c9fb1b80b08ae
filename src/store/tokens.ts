import { sha256 } from '../files/sha256.js';
import type { Database, TokenTable } from './database.js';

/** A stored token. */
export interface TokenRow extends TokenTable {
  /** Whether the name belongs to this token: it was the first with that name. */
  readonly named: boolean;
}

/**
 * HTTP access tokens. Only a digest of the token is stored, so the database does not reveal it. A name belongs to its
 * first token forever, because calls are held and allowed under that name.
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

  /** Looks the token up by its digest, so that the time of the comparison reveals nothing. */
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
  return sha256(token);
}
