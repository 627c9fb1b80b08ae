import { TokenBucket } from './token-bucket.js';

const maxLineLength = 2000;
const burst = 200;
const perSecond = 20;

/** Passes on the log lines of a program: shortened, and at a limited rate. */
export class RateLimitedLog {
  readonly #onLog: (line: string) => void;
  readonly #budget: TokenBucket;
  #omitted = 0;

  constructor(onLog: (line: string) => void, now?: () => number) {
    this.#onLog = onLog;
    this.#budget = new TokenBucket(burst, perSecond, now);
  }

  write(line: string): void {
    if (!this.#budget.take(1)) {
      this.#omitted++;
      return;
    }
    this.close();
    this.#onLog(line.length > maxLineLength ? `${line.slice(0, maxLineLength)}…` : line);
  }

  /** Logs how many lines were omitted until now. */
  close(): void {
    if (this.#omitted === 0) return;
    this.#onLog(`(${this.#omitted.toLocaleString('en')} lines omitted)`);
    this.#omitted = 0;
  }
}
