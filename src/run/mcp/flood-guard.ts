/** Limits for messages that the host did not request: a burst, and a rate per second. */
export interface FloodLimits {
  readonly messages: number;
  readonly messagesPerSecond: number;
  readonly bytes: number;
  readonly bytesPerSecond: number;
}

export const defaultFloodLimits: FloodLimits = {
  messages: 2000,
  messagesPerSecond: 500,
  bytes: 32 * 1024 * 1024,
  bytesPerSecond: 4 * 1024 * 1024,
};

/** Detects a program that would keep the host busy with reading. */
export class FloodGuard {
  readonly #limits: FloodLimits;
  readonly #now: () => number;
  #messages: number;
  #bytes: number;
  #at: number;

  constructor(limits: FloodLimits = defaultFloodLimits, now: () => number = () => performance.now()) {
    this.#limits = limits;
    this.#now = now;
    this.#messages = limits.messages;
    this.#bytes = limits.bytes;
    this.#at = now();
  }

  /** Returns false if the limit is exceeded. */
  admits(bytes: number): boolean {
    const { messages, messagesPerSecond, bytes: most, bytesPerSecond } = this.#limits;
    const now = this.#now();
    const seconds = (now - this.#at) / 1000;
    this.#at = now;
    this.#messages = Math.min(messages, this.#messages + seconds * messagesPerSecond) - 1;
    this.#bytes = Math.min(most, this.#bytes + seconds * bytesPerSecond) - bytes;
    return this.#messages >= 0 && this.#bytes >= 0;
  }
}
