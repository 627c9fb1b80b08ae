/** Weights are kept in steps of 1/8, in the low bits beside the number of the document. */
const steps = 8;
const maxSteps = 127;

/** For each term the documents that contain it, with its weight there and whether the name has it. */
export class PostingLists {
  /** Document, weight and name in one small integer each: a third of the memory of separate lists. */
  readonly #lists = new Map<string, number[]>();
  readonly #byLetter = new Map<string, string[]>();

  add(term: string, document: number, weight: number, isName: boolean): void {
    const kept = Math.max(1, Math.min(maxSteps, Math.round(weight * steps)));
    const packed = document * 256 + kept * 2 + (isName ? 1 : 0);
    const list = this.#lists.get(term);
    if (list !== undefined) {
      list.push(packed);
      return;
    }
    this.#lists.set(term, [packed]);
    const first = term[0] as string;
    const terms = this.#byLetter.get(first);
    if (terms === undefined) this.#byLetter.set(first, [term]);
    else terms.push(term);
  }

  has(term: string): boolean {
    return this.#lists.has(term);
  }

  startingWith(letter: string): readonly string[] {
    return this.#byLetter.get(letter) ?? [];
  }

  /** How many documents contain the term. */
  size(term: string): number {
    return this.#lists.get(term)?.length ?? 0;
  }

  /** Entries for `documentOf`, `weightOf` and `isInName`, in the order of the documents. */
  of(term: string): readonly number[] {
    return this.#lists.get(term) ?? [];
  }
}

export function documentOf(entry: number): number {
  return entry >>> 8;
}

export function weightOf(entry: number): number {
  return ((entry & 255) >> 1) / steps;
}

export function isInName(entry: number): boolean {
  return (entry & 1) === 1;
}
