import { sha256 } from '../files/sha256.js';
import type { Database } from './database.js';
import type { TokenTable } from './state-tables.js';

/** A token to store. */
export interface NewToken extends Omit<TokenTable, 'digest' | 'created_at' | 'principal' | 'last_used_at'> {
  /** The principal that it gets if no token ever had it; otherwise its id is added. */
  readonly wantedPrincipal: string;
  /** Id of the token whose principal it gets instead. */
  readonly replaces?: string | undefined;
}

/**
 * Tokens of HTTP clients and keys of stdio clients. Only a digest is stored, so the database does not reveal them. A
 * principal belongs to its first token forever, because calls are held and allowed under that name.
 */
export class TokenRows {
  readonly #database: Database;
  readonly #now: () => number;

  constructor(database: Database, now: () => number) {
    this.#database = database;
    this.#now = now;
  }

  /** Undefined if the token to replace does not exist, or is of another kind or role. */
  async add({ wantedPrincipal, replaces, ...row }: NewToken, token: string): Promise<TokenTable | undefined> {
    return this.#database.transaction().execute(async (transaction) => {
      const replaced =
        replaces === undefined
          ? undefined
          : await transaction
              .selectFrom('token')
              .selectAll()
              .where('id', '=', replaces)
              .where('kind', '=', row.kind)
              .where('role', '=', row.role)
              .executeTakeFirst();
      if (replaces !== undefined && replaced === undefined) return undefined;
      const claim = (principal: string) =>
        transaction
          .insertInto('token_principal')
          .values({ principal })
          .onConflict((conflict) => conflict.column('principal').doNothing())
          .executeTakeFirst();
      let principal = replaced?.principal ?? wantedPrincipal;
      if (replaced === undefined && (await claim(principal)).numInsertedOrUpdatedRows !== 1n) {
        principal = `${wantedPrincipal}#${row.id}`;
        await claim(principal);
      }
      const made = {
        ...row,
        principal,
        digest: digestOf(token),
        created_at: this.#now(),
        last_used_at: null,
      };
      await transaction.insertInto('token').values(made).execute();
      return made;
    });
  }

  async list(): Promise<readonly TokenTable[]> {
    return this.#rows().orderBy('created_at').orderBy('id').execute();
  }

  async noteUse(id: string, at: number): Promise<void> {
    await this.#database.updateTable('token').set({ last_used_at: at }).where('id', '=', id).execute();
  }

  async remove(id: string): Promise<boolean> {
    const result = await this.#database.deleteFrom('token').where('id', '=', id).executeTakeFirst();
    return result.numDeletedRows === 1n;
  }

  /** Looks the token up by its digest, so that the time of the comparison reveals nothing. */
  async find(token: string): Promise<TokenTable | undefined> {
    return this.#valid(await this.#rows().where('digest', '=', digestOf(token)).executeTakeFirst());
  }

  async findExpired(token: string): Promise<TokenTable | undefined> {
    const row = await this.#rows().where('digest', '=', digestOf(token)).executeTakeFirst();
    return row === undefined || this.#valid(row) !== undefined ? undefined : row;
  }

  async get(id: string): Promise<TokenTable | undefined> {
    return this.#valid(await this.#rows().where('id', '=', id).executeTakeFirst());
  }

  #rows() {
    return this.#database.selectFrom('token').selectAll();
  }

  #valid(row: TokenTable | undefined): TokenTable | undefined {
    return row === undefined || (row.expires_at !== null && row.expires_at <= this.#now()) ? undefined : row;
  }
}

function digestOf(token: string): string {
  return sha256(token);
}
