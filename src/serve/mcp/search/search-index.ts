// Full-text search for tools. Ranking follows BM25 with weighted parts (BM25F). A word of the query also matches words that
// mean the same, words of other languages, and, if no tool has it, prefixes and misspellings.
import { documentOf, isInName, PostingLists, weightOf } from './posting-lists.js';
import { type QueryWord, readQuery } from './query-words.js';
import {
  packageCounts,
  type Searchable,
  type SearchablePackage,
  type StemCounts,
  toolCounts,
} from './searchable.js';
import { actionOf, actions, type ToolAction } from './tool-action.js';

export interface SearchHit<T> {
  readonly item: T;
  readonly score: number;
}

/** Saturation of repeated words: k1 of BM25. */
const saturation = 2;
/** How much a tool gains if the query has all words of its name. */
const nameBonus = 0.35;
/** How strongly a tool must match all words of the query, not only some. */
const coverage = 0.8;
/** For a tool whose name says another action than the query. */
const otherAction = 0.75;
/** For a tool that deletes or stops something, if the query does not say what to do. */
const unaskedRemoval = 0.88;
/** How many query words are kept with their scores. */
const maxKept = 200;

interface WordScores {
  readonly documents: Uint32Array;
  readonly scores: Float32Array;
  /** 1 where the name has the word. */
  readonly inName: Uint8Array;
  readonly best: number;
}

export class SearchIndex<T extends Searchable> {
  readonly #items: T[] = [];
  readonly #postings = new PostingLists();
  readonly #nameLengths: number[] = [];
  readonly #actions: number[] = [];
  readonly #packages = new WeakMap<SearchablePackage, StemCounts>();
  readonly #kept = new Map<string, WordScores>();
  /** Working arrays of a search, all zero between searches. */
  #scores = new Float32Array(0);
  #matched = new Float32Array(0);
  #inName = new Float32Array(0);

  constructor(items: Iterable<T> = []) {
    for (const it of items) this.add(it);
  }

  add(item: T): void {
    let ofPackage = this.#packages.get(item.package);
    if (ofPackage === undefined) {
      ofPackage = packageCounts(item.package);
      this.#packages.set(item.package, ofPackage);
    }
    const { counts, name } = toolCounts(item, ofPackage);
    const document = this.#items.push(item) - 1;
    const names = new Set(name);
    for (const [term, weight] of counts) this.#postings.add(term, document, weight, names.has(term));
    this.#nameLengths.push(name.length);
    this.#actions.push(actionNumber(actionOf(name)));
    if (this.#kept.size > 0) this.#kept.clear();
  }

  /** Best match first. Equal scores are ordered by package and name, so that the result is stable. */
  search(query: string, limit: number): SearchHit<T>[] {
    this.#reserve();
    const { words, action } = readQuery(query, this.#postings);
    const touched: number[] = [];
    let total = 0;
    // All words first: their scores are computed in the arrays that the search uses afterwards.
    const found = words.map((it) => this.#scoresOf(it));
    for (const [at, { weight }] of words.entries()) {
      const scores = found[at] as WordScores;
      // A word that nothing matches cannot tell tools apart.
      total += scores.best * weight;
      this.#addWord(scores, weight, touched);
    }
    for (const document of touched) this.#finish(document, total, action);
    const hits = this.#top(touched, limit);
    for (const document of touched) {
      this.#scores[document] = 0;
      this.#matched[document] = 0;
      this.#inName[document] = 0;
    }
    return hits;
  }

  #reserve(): void {
    const size = this.#items.length;
    if (this.#scores.length === size) return;
    this.#scores = new Float32Array(size);
    this.#matched = new Float32Array(size);
    this.#inName = new Float32Array(size);
  }

  #addWord({ documents, scores, inName, best }: WordScores, weight: number, touched: number[]): void {
    const all = this.#scores;
    for (let at = 0; at < documents.length; at++) {
      const document = documents[at] as number;
      if (all[document] === 0) touched.push(document);
      all[document] = (all[document] as number) + (scores[at] as number) * weight;
      // How well this word is matched, compared with the tool that matches it best.
      this.#matched[document] =
        (this.#matched[document] as number) + Math.min(best, (scores[at] as number) * 2) * weight;
      this.#inName[document] = (this.#inName[document] as number) + (inName[at] as number);
    }
  }

  #finish(document: number, total: number, action: ToolAction | undefined): void {
    const matched = Math.min(1, (this.#matched[document] as number) / total);
    const name = Math.min(
      1,
      (this.#inName[document] as number) / Math.max(1, this.#nameLengths[document] as number),
    );
    const own = actions[(this.#actions[document] as number) - 1];
    const factor = (1 - coverage + coverage * matched) * (1 + nameBonus * name) * actionFactor(action, own);
    this.#scores[document] = (this.#scores[document] as number) * factor;
  }

  /** The tools that match a word of the query, each with the score of its best matching term. */
  #scoresOf(word: QueryWord): WordScores {
    const known = this.#kept.get(word.word);
    if (known !== undefined) return known;
    const made = this.#score(word);
    if (this.#kept.size >= maxKept) this.#kept.delete(this.#kept.keys().next().value as string);
    this.#kept.set(word.word, made);
    return made;
  }

  #score({ terms }: QueryWord): WordScores {
    const size = this.#items.length;
    const best = this.#scores;
    const named = this.#inName;
    const matched: number[] = [];
    let highest = 0;
    // Words that mean the same share their rarity: a rare word for a common action is not a rare action.
    let common = 0;
    for (const [term, similarity] of terms)
      if (similarity > 0.8) common = Math.max(common, this.#postings.size(term));
    for (const [term, similarity] of terms) {
      const count = Math.max(common, this.#postings.size(term));
      const rarity = Math.log(1 + (size - count + 0.5) / (count + 0.5));
      for (const entry of this.#postings.of(term)) {
        const document = documentOf(entry);
        const weight = weightOf(entry);
        const score = (similarity * rarity * weight * (saturation + 1)) / (weight + saturation);
        const before = best[document] as number;
        if (before === 0) matched.push(document);
        if (score > before) best[document] = score;
        if (score > highest) highest = score;
        if (isInName(entry)) named[document] = 1;
      }
    }
    const documents = new Uint32Array(matched);
    const scores = new Float32Array(matched.length);
    const inName = new Uint8Array(matched.length);
    for (let at = 0; at < documents.length; at++) {
      const document = documents[at] as number;
      scores[at] = best[document] as number;
      inName[at] = named[document] as number;
      best[document] = 0;
      named[document] = 0;
    }
    return { documents, scores, inName, best: highest };
  }

  /** The best `limit` documents, without sorting all of them. */
  #top(documents: readonly number[], limit: number): SearchHit<T>[] {
    const top: SearchHit<T>[] = [];
    for (const document of documents) {
      const score = this.#scores[document] as number;
      const last = top.at(-1);
      if (top.length >= limit && (last === undefined || score < last.score)) continue;
      const hit = { item: this.#items[document] as T, score };
      let at = top.length;
      while (at > 0 && isBefore(hit, top[at - 1] as SearchHit<T>)) at--;
      top.splice(at, 0, hit);
      if (top.length > limit) top.pop();
    }
    return top;
  }
}

function isBefore<T extends Searchable>(a: SearchHit<T>, b: SearchHit<T>): boolean {
  if (a.score !== b.score) return a.score > b.score;
  return a.item.package.id === b.item.package.id
    ? a.item.name < b.item.name
    : a.item.package.id < b.item.package.id;
}

function actionNumber(action: ToolAction | undefined): number {
  return action === undefined ? 0 : actions.indexOf(action) + 1;
}

function actionFactor(asked: ToolAction | undefined, own: ToolAction | undefined): number {
  if (own === undefined) return 1;
  if (asked === undefined) return own === 'delete' || own === 'stop' ? unaskedRemoval : 1;
  return asked === own ? 1 : otherAction;
}
