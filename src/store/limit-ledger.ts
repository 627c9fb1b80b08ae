import type { Database } from './database.js';
import type {
  LimitStatements,
  LimitTime,
  MeterReading,
  Reservation,
  ReserveResult,
} from './limit-statements.js';
import { LimitMaxima, type UsedLimit, usedLimits } from './limit-use.js';
import type { Meter } from './meter.js';

interface Waiting {
  readonly meters: readonly Meter[];
  readonly done: (reserved: ReserveResult) => void;
  readonly failed: (error: unknown) => void;
}

/**
 * Sliding-window limits, stored before a call continues. Reservations that arrive together are handled in order in one
 * transaction, which is exact and cheap.
 */
export class LimitLedger {
  readonly #limits: LimitStatements;
  readonly #maxima = new LimitMaxima();
  #waiting: Waiting[] = [];
  #writing = false;

  constructor(database: Pick<Database, 'limits'>, time: LimitTime) {
    this.#limits = database.limits(time);
  }

  /** Reserves a share of all limits, or of none. */
  reserve(meters: readonly Meter[]): Promise<ReserveResult> {
    this.#maxima.note(meters);
    return new Promise((done, failed) => {
      this.#waiting.push({ meters, done, failed });
      void this.#write();
    });
  }

  /** Reads the use of each limit without reserving anything. */
  read(meters: readonly Meter[]): Promise<readonly MeterReading[]> {
    return this.#limits.read(meters);
  }

  /** All limits that are partly used. */
  async inUse(): Promise<readonly UsedLimit[]> {
    return usedLimits(this.#limits, this.#maxima);
  }

  /** Returns reserved shares, because the call had no effect. */
  async release(reservation: Reservation): Promise<void> {
    if (reservation.taken.length > 0) await this.#limits.release(reservation);
  }

  async #write(): Promise<void> {
    if (this.#writing) return;
    this.#writing = true;
    while (this.#waiting.length > 0) {
      const batch = this.#waiting;
      this.#waiting = [];
      try {
        const settled = await this.#limits.reserve(batch.map((it) => it.meters));
        for (const [index, { done }] of batch.entries()) done(settled[index] as ReserveResult);
      } catch (error) {
        for (const { failed } of batch) failed(error);
      }
    }
    this.#writing = false;
  }
}
