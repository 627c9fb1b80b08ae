import { matchesToolName } from './tool-rules.js';

/** Whether guesses are on for a tool. `noGuesses`: patterns of the operator for tools and packages without guesses. */
export function guessesEnabled(noGuesses: readonly string[] = [], name: string): boolean {
  return !noGuesses.some((it) => matchesToolName(it, name));
}
