import { type BurstRate, TokenBucket } from '../rpc/token-bucket.js';

export interface LogLimits {
  readonly lines: BurstRate;
  /** Maximum length of a line; the rest of a longer one is cut off. */
  readonly lineLength: number;
}

/** Passes on the log lines of a program: shortened, and at a limited rate. */
export class RateLimitedLog {
  readonly #onLog: (line: string) => void;
  readonly #lineLength: number;
  readonly #budget: TokenBucket;
  #omitted = 0;

  constructor(onLog: (line: string) => void, { lines, lineLength }: LogLimits, now?: () => number) {
    this.#onLog = onLog;
    this.#lineLength = lineLength;
    this.#budget = new TokenBucket(lines, now);
  }

  write(line: string): void {
    if (!this.#budget.take(1)) {
      this.#omitted++;
      return;
    }
    this.close();
    this.#onLog(line.length > this.#lineLength ? `${line.slice(0, this.#lineLength)}…` : line);
  }

  /** Logs how many lines were omitted until now. */
  close(): void {
    if (this.#omitted === 0) return;
    this.#onLog(`(${this.#omitted.toLocaleString('en')} lines omitted)`);
    this.#omitted = 0;
  }
}
