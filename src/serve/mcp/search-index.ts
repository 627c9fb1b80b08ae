// Full-text search for tools. Ranking follows BM25, with more weight on names. Unknown words of the query are matched as
// prefixes or misspellings.

export interface Searchable {
  readonly name: string;
  readonly description: string;
  readonly package: string;
  /** Tags and names of inputs. */
  readonly keywords: readonly string[];
}

export interface SearchHit<T> {
  readonly item: T;
  readonly score: number;
}

const weights = { name: 3, package: 1.5, description: 1, words: 0.7 } as const;
/** The BM25 parameters k1 (saturation of repeated words) and b (penalty for long texts). */
const saturation = 1.2;
const lengthPenalty = 0.6;
const maxQueryTerms = 32;

/** The documents that contain a term, with its weighted count in each. */
interface Posting {
  readonly documents: number[];
  readonly counts: number[];
}

interface TermScores {
  readonly documents: readonly number[];
  readonly scores: Float64Array;
}

export class SearchIndex<T extends Searchable> {
  readonly #items: readonly T[];
  readonly #postings = new Map<string, Posting>();
  /** Terms by first letter. A misspelled word usually has the right first letter. */
  readonly #terms = new Map<string, string[]>();
  readonly #lengths: number[] = [];
  readonly #meanLength: number;
  readonly #termScores = new Map<string, TermScores>();
  /** Working arrays of a search, all zero between searches. */
  readonly #best: Float64Array;
  readonly #scores: Float64Array;

  constructor(items: readonly T[]) {
    this.#items = items;
    this.#best = new Float64Array(items.length);
    this.#scores = new Float64Array(items.length);
    for (const [document, item] of items.entries()) this.#lengths.push(this.#add(document, item));
    this.#meanLength = this.#lengths.reduce((sum, it) => sum + it, 0) / Math.max(1, items.length);
    for (const term of this.#postings.keys()) {
      const first = term[0] as string;
      const known = this.#terms.get(first);
      if (known === undefined) this.#terms.set(first, [term]);
      else known.push(term);
    }
  }

  /** Best match first. Equal scores are ordered by name, so that the result is stable. */
  search(query: string, limit: number): SearchHit<T>[] {
    const touched: number[] = [];
    for (const word of new Set(searchTerms(query).slice(0, maxQueryTerms))) {
      for (const document of this.#bestOf(word)) {
        if (this.#scores[document] === 0) touched.push(document);
        this.#scores[document] = (this.#scores[document] as number) + (this.#best[document] as number);
        this.#best[document] = 0;
      }
    }
    const hits = this.#top(touched, limit);
    for (const document of touched) this.#scores[document] = 0;
    return hits;
  }

  /** A query word counts once per document: with the score of its best matching term. */
  #bestOf(word: string): readonly number[] {
    const best = this.#best;
    const matched: number[] = [];
    for (const { term, similarity } of this.#candidates(word)) {
      const { documents, scores } = this.#scoresOf(term);
      for (let at = 0; at < documents.length; at++) {
        const document = documents[at] as number;
        const score = (scores[at] as number) * similarity;
        const before = best[document] as number;
        if (before === 0) matched.push(document);
        if (score > before) best[document] = score;
      }
    }
    return matched;
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

  #add(document: number, item: T): number {
    const counts = new Map<string, number>();
    let length = 0;
    const count = (text: string, weight: number) => {
      for (const word of searchTerms(text)) {
        counts.set(word, (counts.get(word) ?? 0) + weight);
        length += weight;
      }
    };
    count(item.name, weights.name);
    count(item.package, weights.package);
    count(item.description, weights.description);
    count(item.keywords.join(' '), weights.words);
    for (const [term, weight] of counts) {
      const list = this.#postings.get(term);
      if (list === undefined) this.#postings.set(term, { documents: [document], counts: [weight] });
      else {
        list.documents.push(document);
        list.counts.push(weight);
      }
    }
    return length;
  }

  /** Computed on first use of a term. */
  #scoresOf(term: string): TermScores {
    const known = this.#termScores.get(term);
    if (known !== undefined) return known;
    const { documents, counts } = this.#postings.get(term) ?? { documents: [], counts: [] };
    const rarity = Math.log(1 + (this.#items.length - documents.length + 0.5) / (documents.length + 0.5));
    const scores = Float64Array.from(documents, (document, at) => {
      const count = counts[at] as number;
      const length = (this.#lengths[document] ?? 0) / this.#meanLength;
      const damping = saturation * (1 - lengthPenalty + lengthPenalty * length);
      return rarity * ((count * (saturation + 1)) / (count + damping));
    });
    const termScores = { documents, scores };
    if (documents.length > 0) this.#termScores.set(term, termScores);
    return termScores;
  }

  /** The terms that a query word may match: the word, its synonyms, and for an unknown word prefixes and misspellings. */
  #candidates(word: string): { term: string; similarity: number }[] {
    const candidates = [
      { term: word, similarity: 1 },
      ...(synonyms.get(word) ?? []).map((term) => ({ term, similarity: 0.6 })),
    ];
    if (this.#postings.has(word)) return candidates;
    for (const term of this.#terms.get(word[0] as string) ?? []) {
      if (word.length >= 3 && term.startsWith(word)) candidates.push({ term, similarity: 0.7 });
      else if (word.length >= 5 && term.length >= 4 && word.startsWith(term))
        candidates.push({ term, similarity: 0.5 });
      else if (isMisspelling(word, term)) candidates.push({ term, similarity: 0.6 });
    }
    return candidates;
  }
}

function isBefore<T extends Searchable>(a: SearchHit<T>, b: SearchHit<T>): boolean {
  return a.score > b.score || (a.score === b.score && a.item.name < b.item.name);
}

/** Common words that tools use for the same thing. */
const synonyms = new Map<string, readonly string[]>();
for (const group of [
  ['create', 'add', 'new', 'make', 'insert'],
  ['delete', 'remove', 'erase', 'drop', 'discard'],
  ['get', 'fetch', 'read', 'show', 'view', 'retrieve', 'load'],
  ['find', 'search', 'lookup', 'query', 'locate'],
  ['list', 'enumerate', 'browse'],
  ['send', 'post', 'deliver', 'submit'],
  ['update', 'change', 'edit', 'modify', 'set'],
  ['mail', 'email', 'message'],
  ['picture', 'image', 'photo'],
  ['folder', 'directory'],
  ['convert', 'transform', 'translate'],
  ['calculate', 'compute', 'count'],
]) {
  const stems = group.map(stem);
  for (const word of stems)
    synonyms.set(
      word,
      stems.filter((it) => it !== word),
    );
}

const stopWords = new Set(
  'a an and are as at be by can do for from how i in into is it me my of on or our that the their them then this to up want we what which will with you your please need some'.split(
    ' ',
  ),
);

/** Lower-case stems without accents and stop words. Splits `camelCase` and `snake_case`. */
export function searchTerms(text: string): string[] {
  const parts = text
    .replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2')
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .match(/\p{L}+|\p{N}+/gu);
  return (parts ?? []).filter((it) => !stopWords.has(it)).map(stem);
}

/** A simple stemmer for common English endings. */
function stem(word: string): string {
  if (word.length > 4 && word.endsWith('ies')) return `${word.slice(0, -3)}y`;
  if (word.length > 5 && word.endsWith('ing')) return undouble(word.slice(0, -3));
  if (word.length > 4 && word.endsWith('ed')) return undouble(word.slice(0, -2));
  if (word.length > 4 && /(?:s|x|z|ch|sh)es$/.test(word)) return word.slice(0, -2);
  if (word.length > 3 && word.endsWith('s') && !/(?:ss|us|is)$/.test(word))
    return withoutE(word.slice(0, -1));
  return withoutE(word);
}

function undouble(word: string): string {
  return /([bdfgmnprt])\1$/.test(word) ? word.slice(0, -1) : withoutE(word);
}

/** Gives `create`, `creating` and `created` the same stem. */
function withoutE(word: string): string {
  return word.length > 3 && word.endsWith('e') ? word.slice(0, -1) : word;
}

/** Allows one typo in a word of at least four letters, two in a word of at least eight. The first letter must match. */
function isMisspelling(word: string, term: string): boolean {
  const allowed = word.length >= 8 ? 2 : 1;
  if (word.length < 4 || word[0] !== term[0] || Math.abs(word.length - term.length) > allowed) return false;
  return distance(word, term) <= allowed;
}

/** Edit distance: insertions, deletions, substitutions and swaps of neighboring letters. */
function distance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const changed = (last[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1);
      let least = Math.min(changed, (last[j] as number) + 1, (row[j - 1] as number) + 1);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        least = Math.min(least, (beforeLast[j - 2] as number) + 1);
      row.push(least);
    }
    beforeLast = last;
    last = row;
  }
  return last[b.length] as number;
}
