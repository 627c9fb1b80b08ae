import type { Sha256 } from '../guardrails/wallet.js';
import type { Inflate } from './inflated-view.js';

/** What the key search reports besides the keys of known providers. */
export interface ScanOptions {
  /** Report likely secrets without a known format too, judged by the text around them. */
  readonly guesses: boolean;
  /** Report sample keys from public documentation too. Used for data that is about to leave the host. */
  readonly reportSamples: boolean;
  readonly sha256: Sha256;
  /** Whether the operator keeps what a rule finds at a path. Needs `roots`. */
  readonly isExempt?: (path: string, rule: string) => boolean;
  /** Names of the items of the scanned list; findings then say where they are. */
  readonly roots?: readonly string[];
  /** Undefined: compressed data is not searched. */
  readonly inflate?: Inflate;
}
