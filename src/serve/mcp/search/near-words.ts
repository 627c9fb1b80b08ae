import { equalWords } from './equal-words.js';
import { relatedWords } from './related-words.js';
import { stem } from './stem.js';

/** How near a word is to the word of the query. */
const equalSimilarity = 0.85;
const relatedSimilarity = 0.5;

const near = new Map<string, Map<string, number>>();
function relate(from: string, to: string, similarity: number): void {
  if (from === to) return;
  const known = near.get(from) ?? new Map<string, number>();
  known.set(to, Math.max(similarity, known.get(to) ?? 0));
  near.set(from, known);
}
function groupsIn(text: string): string[] {
  return text.trim().replace(/\s+/g, ' ').split('; ');
}
for (const group of groupsIn(equalWords)) {
  const stems = group.split(' ').map(stem);
  for (const from of stems) for (const to of stems) relate(from, to, equalSimilarity);
}
for (const group of groupsIn(relatedWords)) {
  const [word, others] = group.split(': ') as [string, string];
  for (const it of others.split(' ')) relate(stem(word), stem(it), relatedSimilarity);
}
relate('pullrequest', 'mergerequest', equalSimilarity);
relate('mergerequest', 'pullrequest', equalSimilarity);

/** The stems that may stand for a stem, with their similarity below 1. */
export function nearStems(word: string): ReadonlyMap<string, number> {
  return near.get(word) ?? noStems;
}
const noStems: ReadonlyMap<string, number> = new Map();
