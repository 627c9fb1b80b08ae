/** The share of one limit that one call uses. */
export interface Meter {
  readonly principal: string;
  readonly tool: string;
  readonly kind: 'calls' | 'amount';
  /** Length of the sliding window in milliseconds. */
  readonly windowMs: number;
  /** Highest total within the window. */
  readonly max: number;
  /** What this call adds: 1 for `calls`. */
  readonly amount: number;
}

/** A limit of more calls than this is counted in time steps, this many per window, instead of one row per call. */
const maxExactCalls = 1024;

/** Length of the time steps that a limit is counted in. A use counts until the end of its step: slightly longer, never shorter. */
export function stepMs({ kind, windowMs, max }: Meter): number {
  return kind === 'calls' && max <= maxExactCalls ? 1 : Math.max(1, Math.floor(windowMs / maxExactCalls));
}
