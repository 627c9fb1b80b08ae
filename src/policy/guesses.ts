import { matches } from './rules.js';

/** Whether secrets are guessed in what a tool says: unless the operator named it, its package or everything. */
export function guessesIn(noGuesses: readonly string[] = [], name: string): boolean {
  return !noGuesses.some((it) => matches(it, name));
}
