import type { Database } from './database.js';

/** A server that asked for a sign-in. */
export interface SignInRequestRow {
  readonly package: string;
  readonly program: string;
  readonly url: string;
  /** Where it publishes its metadata; empty if it did not say. */
  readonly resource_metadata: string;
  /** Separated by spaces; empty if it named none. */
  readonly scopes: string;
}

export class SignInRequestRows {
  readonly #database: Database;
  readonly #now: () => number;

  constructor(database: Database, now: () => number) {
    this.#database = database;
    this.#now = now;
  }

  async list(): Promise<readonly SignInRequestRow[]> {
    return this.#database
      .selectFrom('sign_in_request')
      .select(['package', 'program', 'url', 'resource_metadata', 'scopes'])
      .execute();
  }

  async put(row: SignInRequestRow): Promise<void> {
    const { url, resource_metadata, scopes } = row;
    const columns = { url, resource_metadata, scopes, at: this.#now() };
    await this.#database
      .insertInto('sign_in_request')
      .values({ ...row, ...columns })
      .onConflict((conflict) => conflict.columns(['package', 'program']).doUpdateSet(columns))
      .execute();
  }

  async remove(packageId: string, program: string): Promise<void> {
    await this.#database
      .deleteFrom('sign_in_request')
      .where('package', '=', packageId)
      .where('program', '=', program)
      .execute();
  }
}
