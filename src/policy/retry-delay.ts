import type { Transient } from '../model/host-error.js';

/** A call is tried at most this often. */
export const maxTries = 3;
const firstDelayMs = 200;
/** A service that asks to wait longer gets no further try: its caller should know now. */
const maxDelayMs = 30_000;

export interface RetrySituation {
  /** Tries so far. */
  readonly tries: number;
  readonly transient: Transient;
  /** What is left of the timeout of the call. */
  readonly leftMs: number;
  /** From 0 to 1. */
  readonly random: () => number;
}

/**
 * Milliseconds until the next try; undefined: there is none. The delay doubles with each try. A random part spreads the
 * tries of callers that failed at the same moment.
 */
export function retryDelay({ tries, transient, leftMs, random }: RetrySituation): number | undefined {
  if (tries >= maxTries) return undefined;
  const backoffMs = firstDelayMs * 2 ** (tries - 1) * (0.5 + random() / 2);
  const { afterMs } = transient;
  const delayMs = Math.round(afterMs === undefined ? backoffMs : afterMs + backoffMs);
  // Without time for an answer, another try would only hide the reason of this failure.
  return delayMs <= maxDelayMs && delayMs + firstDelayMs <= leftMs ? delayMs : undefined;
}
