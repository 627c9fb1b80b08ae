// What limits need of a database.
import type { Meter } from './meter.js';

export interface MeterReading {
  readonly meter: Meter;
  readonly used: number;
  /** Milliseconds until the call fits. 0: it fits now. Null: it never fits. */
  readonly waitMs: number | null;
}

/** Reserved shares of limits. They are released only if the call had no effect. */
export interface Reservation {
  readonly taken: readonly { readonly meter: Meter; readonly at: number }[];
}

export type ReserveResult =
  | { readonly kind: 'taken'; readonly reservation: Reservation }
  | { readonly kind: 'full'; readonly reading: MeterReading };

export interface LimitTime {
  /** Milliseconds since 1970. The system clock may be set back. */
  readonly now: () => number;
  /** Monotonic milliseconds with an arbitrary start. */
  readonly ticks: () => number;
}

/** How much of one limit is used within its window. */
export interface WindowUse extends Omit<Meter, 'max' | 'amount'> {
  readonly used: number;
}

/** Allowed rounding error of sums of decimal fractions, relative to the limit. */
export const tolerance = 1e-9;
/** Interval for storing the time and deleting old rows. Between two runs more counts as used, never less. */
export const cleanupMs = 1000;

/** The time never goes back, not even over restarts: setting the clock back frees nothing. */
export interface LimitStatements {
  /**
   * For each call, in order: reserves a share of all its limits, or of none. All of it in one commit, which survives the
   * end of this process. The audit entry of a call that follows waits for the disk, also for this commit.
   */
  reserve(calls: readonly (readonly Meter[])[]): Promise<readonly ReserveResult[]>;
  /** Reads the use of each limit without reserving anything. */
  read(meters: readonly Meter[]): Promise<readonly MeterReading[]>;
  /** Limits that are partly used, at most `limit`. */
  inUse(limit: number): Promise<readonly WindowUse[]>;
  /** Returns reserved shares. */
  release(reservation: Reservation): Promise<void>;
}
