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
