import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Database } from './database.js';
import { openSqlite } from './sqlite.js';
import type { OperatorPinTable } from './state-tables.js';

/** Whether a PIN may be tried now. `until`: milliseconds since 1970. */
export type PinAttempt =
  | { readonly kind: 'unset' }
  | { readonly kind: 'wait'; readonly until: number }
  | { readonly kind: 'allowed'; readonly pin: OperatorPinTable };

/** The stored hash of the operator's PIN and the number of failed attempts. */
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
   * Counts an attempt before the PIN is checked, so that parallel guesses or a killed host gain nothing. Setting the
   * clock back only restarts the wait.
   */
  async reserve(): Promise<PinAttempt> {
    return this.#database.transaction().execute(async (transaction): Promise<PinAttempt> => {
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
      return { kind: 'allowed', pin };
    });
  }

  /** After a correct PIN. */
  async resetFailures(): Promise<void> {
    await this.#database.updateTable('operator_pin').set({ failures: 0, tried_at: 0 }).execute();
  }

  /** When the next attempt is allowed, in milliseconds since 1970. Undefined: now. */
  waitUntil({ failures, tried_at }: OperatorPinTable): number | undefined {
    const now = this.#now();
    const until = Math.min(tried_at, now) + this.#delayMs(failures);
    return until > now ? until : undefined;
  }
}

/** Whether a PIN is set. Works while another process has the database open. */
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
