import { Budget } from './budget.js';

const longestLine = 2000;
const burst = 200;
const perSecond = 20;

/** Passes on what a program prints for people: shortened, and not more than somebody could read. */
export class Journal {
  readonly #onLog: (line: string) => void;
  readonly #budget: Budget;
  #left = 0;

  constructor(onLog: (line: string) => void, now?: () => number) {
    this.#onLog = onLog;
    this.#budget = new Budget(burst, perSecond, now);
  }

  write(line: string): void {
    if (!this.#budget.take(1)) {
      this.#left++;
      return;
    }
    this.close();
    this.#onLog(line.length > longestLine ? `${line.slice(0, longestLine)}…` : line);
  }

  /** Says how much was left out until now. */
  close(): void {
    if (this.#left === 0) return;
    this.#onLog(`(${this.#left.toLocaleString('en')} lines left out)`);
    this.#left = 0;
  }
}
