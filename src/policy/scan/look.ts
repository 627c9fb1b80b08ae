import type { Sha256 } from '../guardrails/wallet.js';

/** How somebody looks for what has the shape of a key. */
export interface Look {
  /** Secrets without a shape of their own too, by what stands around them. */
  readonly guesses: boolean;
  readonly sha256: Sha256;
}
