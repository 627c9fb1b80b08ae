import type { Sha256 } from '../guardrails/wallet.js';

/** How somebody looks for what has the shape of a key. */
export interface Look {
  /** Secrets without a shape of their own too, by what stands around them. */
  readonly guesses: boolean;
  /** Samples that vendors publish too: what is about to leave is better stopped than explained. */
  readonly samples: boolean;
  readonly sha256: Sha256;
}
