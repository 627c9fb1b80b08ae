import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Database, OperatorPinTable } from './database.js';
import { openSqlite } from './sqlite.js';

/** Leave to try a PIN, or when there will be. */
export type Try =
  | { readonly kind: 'unset' }
  | { readonly kind: 'wait'; readonly until: number }
  | { readonly kind: 'go'; readonly pin: OperatorPinTable };

/** The operator's PIN as it is kept, and how often somebody was wrong about it. */
export class OperatorPin {
  readonly #database: Database;
  readonly #now: () => number;
  readonly #delayMs: (failures: number) => number;

  constructor(database: Database, now: () => number, delayMs: (failures: number) => number) {
    this.#database = database;
    this.#now = now;
    this.#delayMs = delayMs;
  }

  async get(): Promise<OperatorPinTable | undefined> {
    const row = await this.#database.selectFrom('operator_pin').selectAll().executeTakeFirst();
    return row && { ...row, salt: new Uint8Array(row.salt), hash: new Uint8Array(row.hash) };
  }

  async put({ salt, hash }: Pick<OperatorPinTable, 'salt' | 'hash'>): Promise<void> {
    const row = { salt, hash, set_at: this.#now(), failures: 0, tried_at: 0 };
    await this.#database
      .insertInto('operator_pin')
      .values({ one: 1, ...row })
      .onConflict((conflict) => conflict.column('one').doUpdateSet(row))
      .execute();
  }

  async remove(): Promise<void> {
    await this.#database.deleteFrom('operator_pin').execute();
  }

  /**
   * Counts a try before it is made: whoever guesses many at once, or ends the host in between, gains nothing. A clock
   * that was set back only makes the wait begin anew.
   */
  async reserve(): Promise<Try> {
    return this.#database.transaction().execute(async (transaction): Promise<Try> => {
      const row = await transaction.selectFrom('operator_pin').selectAll().executeTakeFirst();
      if (row === undefined) return { kind: 'unset' };
      const now = this.#now();
      const from = Math.min(row.tried_at, now);
      const until = from + this.#delayMs(row.failures);
      if (until > now) {
        if (from !== row.tried_at)
          await transaction.updateTable('operator_pin').set({ tried_at: from }).execute();
        return { kind: 'wait', until };
      }
      const failures = row.failures + 1;
      await transaction.updateTable('operator_pin').set({ failures, tried_at: now }).execute();
      const pin = { ...row, failures, salt: new Uint8Array(row.salt), hash: new Uint8Array(row.hash) };
      return { kind: 'go', pin };
    });
  }

  /** The try was right: nobody has been wrong since. */
  async forgive(): Promise<void> {
    await this.#database.updateTable('operator_pin').set({ failures: 0, tried_at: 0 }).execute();
  }

  /** When the next try may be made, in milliseconds since 1970; undefined at once. */
  waitOf({ failures, tried_at }: OperatorPinTable): number | undefined {
    const now = this.#now();
    const until = Math.min(tried_at, now) + this.#delayMs(failures);
    return until > now ? until : undefined;
  }
}

/** Whether a PIN is set, seen from outside: a host may have the database open. */
export function hasOperatorPin(state: string): boolean {
  const path = join(state, 'toolwharf.db');
  if (!existsSync(path)) return false;
  const connection = openSqlite(path);
  try {
    connection.exec('pragma busy_timeout = 2000; pragma query_only = on;');
    const known = connection.all("select 1 from sqlite_master where name = 'operator_pin'", []);
    return known.length > 0 && connection.all('select 1 from operator_pin', []).length > 0;
  } finally {
    connection.close();
  }
}
