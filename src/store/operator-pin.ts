import type { Database } from './database.js';
import type { OperatorPinTable } from './state-tables.js';

/**
 * Where a PIN is tried. Attempts on the pages of held calls are counted by themselves: an agent can open these pages, and
 * must not make the operator wait elsewhere.
 */
export type PinPlace = 'page' | 'elsewhere';

/** Whether a PIN may be tried now. `until`: milliseconds since 1970. `failures`: with this attempt. */
export type PinAttempt =
  | { readonly kind: 'unset' }
  | { readonly kind: 'wait'; readonly until: number }
  | {
      readonly kind: 'allowed';
      readonly pin: Pick<OperatorPinTable, 'salt' | 'hash'>;
      readonly failures: number;
      /** When the next attempt is allowed if this one fails. Undefined: at once. */
      readonly until: number | undefined;
    };

/** The stored hash of the operator's PIN and the numbers of failed attempts. */
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
    const row = { salt, hash, set_at: this.#now(), ...noFailures };
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
  async reserve(place: PinPlace): Promise<PinAttempt> {
    return this.#database.transaction().execute(async (transaction): Promise<PinAttempt> => {
      const row = await transaction.selectFrom('operator_pin').selectAll().executeTakeFirst();
      if (row === undefined) return { kind: 'unset' };
      const now = this.#now();
      const [failuresBefore, triedAt] =
        place === 'page' ? [row.page_failures, row.page_tried_at] : [row.failures, row.tried_at];
      const store = (failures: number, at: number) =>
        transaction
          .updateTable('operator_pin')
          .set(place === 'page' ? { page_failures: failures, page_tried_at: at } : { failures, tried_at: at })
          .execute();
      const from = Math.min(triedAt, now);
      const until = this.#waitUntil(failuresBefore, from);
      if (until !== undefined) {
        if (from !== triedAt) await store(failuresBefore, from);
        return { kind: 'wait', until };
      }
      const failures = failuresBefore + 1;
      await store(failures, now);
      const pin = { salt: new Uint8Array(row.salt), hash: new Uint8Array(row.hash) };
      return { kind: 'allowed', pin, failures, until: this.#waitUntil(failures, now) };
    });
  }

  /** After a correct PIN, wherever it was given. */
  async resetFailures(): Promise<void> {
    await this.#database.updateTable('operator_pin').set(noFailures).execute();
  }

  /** When the next attempt is allowed elsewhere than on pages, in milliseconds since 1970. Undefined: now. */
  waitUntil({ failures, tried_at }: OperatorPinTable): number | undefined {
    return this.#waitUntil(failures, tried_at);
  }

  #waitUntil(failures: number, triedAt: number): number | undefined {
    const now = this.#now();
    const until = Math.min(triedAt, now) + this.#delayMs(failures);
    return until > now ? until : undefined;
  }
}

const noFailures = { failures: 0, tried_at: 0, page_failures: 0, page_tried_at: 0 };
