import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Where words are checked; `output` is what commands print. */
export type WordPlace = 'src' | 'test' | 'docs' | 'output';

export interface WordRule {
  /** The term to use. */
  readonly term: string;
  /** A regular expression for the words that the term replaces. */
  readonly not: string;
  readonly in: readonly WordPlace[];
  /** Regular expressions for lines in which the words mean something else. */
  readonly except?: readonly string[];
}

export interface TextLine {
  readonly where: string;
  readonly text: string;
}

export function readWordRules(): readonly WordRule[] {
  return JSON.parse(readFileSync(join(import.meta.dirname, 'words.json'), 'utf8'));
}

/** Lines with a word that another term replaces, with their place. */
export function wrongWords({ not, except = [] }: WordRule, lines: readonly TextLine[]): string[] {
  const wrong = new RegExp(not);
  const allowed = except.map((it) => new RegExp(it));
  return lines
    .filter(({ text }) => wrong.test(text) && !allowed.some((it) => it.test(text)))
    .map(({ where, text }) => `${where}: ${text.trim()}`);
}
