// Finds tools by words. Ranked like BM25, with more weight on names; words that are not known are read as misspelt
// or unfinished ones. Nothing here knows where the tools come from.

export interface Searchable {
  readonly name: string;
  readonly description: string;
  readonly package: string;
  /** Tags, and names of inputs: said of the tool, but not by its description. */
  readonly words: readonly string[];
}

export interface Found<T> {
  readonly item: T;
  readonly score: number;
}

const weights = { name: 3, package: 1.5, description: 1, words: 0.7 } as const;
/** How soon more of the same word stops counting, and how much long texts are held back. */
const saturation = 1.2;
const lengthPenalty = 0.6;
const maxQueryWords = 32;

/** Where a word stands: documents, and how much it says of each. */
interface Posting {
  readonly documents: number[];
  readonly counts: number[];
}

interface Weighed {
  readonly documents: readonly number[];
  readonly scores: Float64Array;
}

export class SearchIndex<T extends Searchable> {
  readonly #items: readonly T[];
  readonly #postings = new Map<string, Posting>();
  /** By their first letter: whoever misspells a word gets that one right. */
  readonly #terms = new Map<string, string[]>();
  readonly #lengths: number[] = [];
  readonly #meanLength: number;
  readonly #weighed = new Map<string, Weighed>();
  /** Room for one search, all zero between two. */
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

  /** Best first; equally good ones by name, so that the answer is always the same. */
  search(query: string, limit: number): Found<T>[] {
    const touched: number[] = [];
    for (const word of new Set(wordsIn(query).slice(0, maxQueryWords))) {
      for (const document of this.#bestOf(word)) {
        if (this.#scores[document] === 0) touched.push(document);
        this.#scores[document] = (this.#scores[document] as number) + (this.#best[document] as number);
        this.#best[document] = 0;
      }
    }
    const found = this.#first(touched, limit);
    for (const document of touched) this.#scores[document] = 0;
    return found;
  }

  /** One word of the query counts once for a document, through whichever of its readings fits best. */
  #bestOf(word: string): readonly number[] {
    const best = this.#best;
    const hit: number[] = [];
    for (const { term, likeness } of this.#readings(word)) {
      const { documents, scores } = this.#weigh(term);
      for (let at = 0; at < documents.length; at++) {
        const document = documents[at] as number;
        const score = (scores[at] as number) * likeness;
        const before = best[document] as number;
        if (before === 0) hit.push(document);
        if (score > before) best[document] = score;
      }
    }
    return hit;
  }

  /** The best few of many, without putting all of them in order. */
  #first(documents: readonly number[], limit: number): Found<T>[] {
    const few: Found<T>[] = [];
    for (const document of documents) {
      const score = this.#scores[document] as number;
      const last = few.at(-1);
      if (few.length >= limit && (last === undefined || score < last.score)) continue;
      const found = { item: this.#items[document] as T, score };
      let at = few.length;
      while (at > 0 && isBefore(found, few[at - 1] as Found<T>)) at--;
      few.splice(at, 0, found);
      if (few.length > limit) few.pop();
    }
    return few;
  }

  #add(document: number, item: T): number {
    const counts = new Map<string, number>();
    let length = 0;
    const count = (text: string, weight: number) => {
      for (const word of wordsIn(text)) {
        counts.set(word, (counts.get(word) ?? 0) + weight);
        length += weight;
      }
    };
    count(item.name, weights.name);
    count(item.package, weights.package);
    count(item.description, weights.description);
    count(item.words.join(' '), weights.words);
    for (const [term, many] of counts) {
      const list = this.#postings.get(term);
      if (list === undefined) this.#postings.set(term, { documents: [document], counts: [many] });
      else {
        list.documents.push(document);
        list.counts.push(many);
      }
    }
    return length;
  }

  /** Worked out when a word is first asked for. */
  #weigh(term: string): Weighed {
    const known = this.#weighed.get(term);
    if (known !== undefined) return known;
    const { documents, counts } = this.#postings.get(term) ?? { documents: [], counts: [] };
    const rarity = Math.log(1 + (this.#items.length - documents.length + 0.5) / (documents.length + 0.5));
    const scores = Float64Array.from(documents, (document, at) => {
      const count = counts[at] as number;
      const length = (this.#lengths[document] ?? 0) / this.#meanLength;
      const held = saturation * (1 - lengthPenalty + lengthPenalty * length);
      return rarity * ((count * (saturation + 1)) / (count + held));
    });
    const weighed = { documents, scores };
    if (documents.length > 0) this.#weighed.set(term, weighed);
    return weighed;
  }

  /** The word itself, what is said for it, and where nobody uses it, what may have been meant. */
  #readings(word: string): { term: string; likeness: number }[] {
    const readings = [
      { term: word, likeness: 1 },
      ...(alike.get(word) ?? []).map((term) => ({ term, likeness: 0.6 })),
    ];
    if (this.#postings.has(word)) return readings;
    for (const term of this.#terms.get(word[0] as string) ?? []) {
      if (word.length >= 3 && term.startsWith(word)) readings.push({ term, likeness: 0.7 });
      else if (word.length >= 5 && term.length >= 4 && word.startsWith(term))
        readings.push({ term, likeness: 0.5 });
      else if (misspelt(word, term)) readings.push({ term, likeness: 0.6 });
    }
    return readings;
  }
}

function isBefore<T extends Searchable>(a: Found<T>, b: Found<T>): boolean {
  return a.score > b.score || (a.score === b.score && a.item.name < b.item.name);
}

/** Everyday verbs that tools use for the same thing. */
const alike = new Map<string, readonly string[]>();
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
    alike.set(
      word,
      stems.filter((it) => it !== word),
    );
}

const ignored = new Set(
  'a an and are as at be by can do for from how i in into is it me my of on or our that the their them then this to up want we what which will with you your please need some'.split(
    ' ',
  ),
);

/** Lower-case words without accents, endings and filler; `camelCase` and `snake_case` fall apart. */
export function wordsIn(text: string): string[] {
  const parts = text
    .replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2')
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .match(/\p{L}+|\p{N}+/gu);
  return (parts ?? []).filter((it) => !ignored.has(it)).map(stem);
}

/** Enough for the endings that change nothing about the meaning. */
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

/** `create`, `creating` and `created` are one word. */
function withoutE(word: string): string {
  return word.length > 3 && word.endsWith('e') ? word.slice(0, -1) : word;
}

/** One slip in a word of four letters or more, two in a long one; the first letter is right. */
function misspelt(word: string, term: string): boolean {
  const allowed = word.length >= 8 ? 2 : 1;
  if (word.length < 4 || word[0] !== term[0] || Math.abs(word.length - term.length) > allowed) return false;
  return distance(word, term) <= allowed;
}

/** Letters to add, drop, change or swap with their neighbor. */
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
