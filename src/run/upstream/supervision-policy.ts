/** How the host handles a program that exits, fails to start, or does not answer. */
export interface SupervisionPolicy {
  /** Delay before a restart after an unexpected exit; doubled each time. */
  readonly backoffMs: number;
  readonly maxBackoffMs: number;
  /** Unexpected exits in a row after which it is not restarted any more. */
  readonly maxRestarts: number;
  /** Restart automatically if it was in use; otherwise the next call starts it. */
  readonly autoRestart: boolean;
  /** After running this long, earlier exits do not count any more. */
  readonly stableMs: number;
  /** Unanswered calls in a row after which calls are paused (circuit breaker). */
  readonly maxFailures: number;
  readonly pauseMs: number;
  readonly maxPauseMs: number;
  /** How long it keeps running while idle. */
  readonly idleMs: number;
}

export const defaultSupervision: SupervisionPolicy = Object.freeze({
  backoffMs: 1000,
  maxBackoffMs: 16_000,
  maxRestarts: 5,
  autoRestart: true,
  stableMs: 300_000,
  maxFailures: 5,
  pauseMs: 10_000,
  maxPauseMs: 120_000,
  idleMs: 300_000,
});

/** For a program that the host does not run: retried without limit, but only when a call needs it. */
export const externalSupervision: Pick<SupervisionPolicy, 'maxRestarts' | 'autoRestart'> = Object.freeze({
  maxRestarts: Number.POSITIVE_INFINITY,
  autoRestart: false,
});
