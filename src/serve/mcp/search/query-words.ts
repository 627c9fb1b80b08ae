import { englishOf } from './foreign-words.js';
import { isMisspelling } from './misspelling.js';
import { nearStems } from './near-words.js';
import { contentWords } from './search-terms.js';
import { stem } from './stem.js';
import { actionOf, type ToolAction } from './tool-action.js';

/** The terms that a word of the query may match, with their similarity from 0 to 1. */
export interface QueryWord {
  readonly word: string;
  readonly weight: number;
  readonly terms: ReadonlyMap<string, number>;
}

export interface ReadQuery {
  readonly words: readonly QueryWord[];
  /** What the caller wants to do, if the query says it. */
  readonly action: ToolAction | undefined;
}

/** The terms of an index. */
export interface KnownTerms {
  has(term: string): boolean;
  /** Terms with the same first letter: a misspelled word usually has the right one. */
  startingWith(letter: string): readonly string[];
}

const maxWords = 32;
const prefixSimilarity = 0.7;
const partSimilarity = 0.6;
const misspelledSimilarity = 0.75;
/** Words that describe the question more than the tool. */
const weakWords = new Set(
  'who when where why many much whether not all new one two current now out down off on'.split(' ').map(stem),
);
const weakWeight = 0.4;

export function readQuery(query: string, known: KnownTerms): ReadQuery {
  const written = contentWords(query).slice(0, maxWords);
  const words = [...new Set(written)].map((word, at, all) => readWord(word, all[at + 1], known));
  const stems = words.flatMap((it) =>
    [...it.terms].flatMap(([term, near]) => (near === 1 || near === misspelledSimilarity ? [term] : [])),
  );
  return { words, action: actionOf(stems) };
}

function readWord(word: string, next: string | undefined, known: KnownTerms): QueryWord {
  const own = stem(word);
  const terms = new Map([[own, 1]]);
  const add = (term: string, similarity: number) =>
    terms.set(term, Math.max(similarity, terms.get(term) ?? 0));
  const translated = englishOf(word);
  for (const it of translated) add(it, 1);
  // A word that no tool has and nothing stands for is compared with the terms that exist.
  if (!known.has(own) && translated.length === 0 && nearStems(own).size === 0)
    for (const [term, similarity] of similarTerms(own, known)) add(term, similarity);
  for (const [term, similarity] of [...terms])
    for (const [other, nearness] of nearStems(term)) add(other, nearness * similarity);
  if (next !== undefined && known.has(stem(word + next))) add(stem(word + next), 1);
  return { word, weight: weakWords.has(own) ? weakWeight : 1, terms };
}

function* similarTerms(word: string, known: KnownTerms): Iterable<readonly [string, number]> {
  for (let at = 3; at <= word.length - 3; at++) {
    const [left, right] = [stem(word.slice(0, at)), stem(word.slice(at))];
    if (known.has(left) && known.has(right)) {
      yield [left, partSimilarity];
      yield [right, partSimilarity];
    }
  }
  for (const term of known.startingWith(word[0] as string)) {
    if (isMisspelling(word, term)) yield [term, misspelledSimilarity];
    else if (word.length >= 3 && term.startsWith(word)) yield [term, prefixSimilarity];
    else if (word.length >= 5 && term.length >= 4 && word.startsWith(term)) yield [term, partSimilarity];
  }
}
