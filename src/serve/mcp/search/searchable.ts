import { searchTerms } from './search-terms.js';

/** What is known about a tool, by the part of its definition. */
export interface Searchable {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputs: readonly string[];
  readonly package: SearchablePackage;
}

/** Tools of one package share this object, so that its words are counted once. */
export interface SearchablePackage {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly tags: readonly string[];
}

/** How much a word counts in each part, and how many words such a part usually has. */
const parts = {
  name: { weight: 4, usual: 3 },
  title: { weight: 1.5, usual: 3 },
  description: { weight: 1.6, usual: 10 },
  inputs: { weight: 0.5, usual: 4 },
  packageName: { weight: 1.8, usual: 2 },
  packageText: { weight: 0.7, usual: 6 },
} as const;
/** How much a longer part lowers the weight of its words; 0: not at all. */
const lengthPenalty = 0.4;
/** More words of a description say little about what the tool does. */
const maxDescriptionWords = 120;

/** Weighted counts of stems. */
export type StemCounts = Map<string, number>;

/** The stems of a package, which all of its tools have. */
export function packageCounts(it: SearchablePackage): StemCounts {
  const counts: StemCounts = new Map();
  const names = searchTerms(`${it.id} ${it.name}`);
  count(counts, [...new Set(names)], parts.packageName);
  count(counts, searchTerms(`${it.description} ${it.tags.join(' ')}`), parts.packageText);
  return counts;
}

/** The stems of a tool, and those of its name alone. */
export function toolCounts(it: Searchable, ofPackage: StemCounts): { counts: StemCounts; name: string[] } {
  const counts: StemCounts = new Map(ofPackage);
  const name = [...new Set(searchTerms(it.name))];
  count(counts, name, parts.name);
  count(counts, searchTerms(it.title), parts.title);
  count(counts, searchTerms(it.description).slice(0, maxDescriptionWords), parts.description);
  count(counts, searchTerms(it.inputs.join(' ')), parts.inputs);
  return { counts, name };
}

function count(counts: StemCounts, stems: readonly string[], part: { weight: number; usual: number }): void {
  const weight = part.weight / (1 - lengthPenalty + lengthPenalty * (stems.length / part.usual));
  for (const it of stems) counts.set(it, (counts.get(it) ?? 0) + weight);
}
