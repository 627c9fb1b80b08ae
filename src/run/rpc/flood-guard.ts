import { type BurstRate, TokenBucket } from './token-bucket.js';

/** Limits for messages that the host did not request. */
export interface FloodLimits {
  /** Null: only the bytes count. */
  readonly messages: BurstRate | null;
  readonly bytes: BurstRate;
}

/** Detects a program that would keep the host busy with reading. */
export class FloodGuard {
  readonly #messages: TokenBucket | null;
  readonly #bytes: TokenBucket;

  constructor({ messages, bytes }: FloodLimits, now?: () => number) {
    this.#messages = messages === null ? null : new TokenBucket(messages, now);
    this.#bytes = new TokenBucket(bytes, now);
  }

  /** Counts one message. Returns false if a limit is exceeded. */
  admits(bytes: number): boolean {
    return this.#messages?.take(1) !== false && this.#bytes.take(bytes);
  }
}
