import { amountsIn } from './amounts.js';
import { type IndexedLeaf, matchIn, type SourceMatch } from './indexed-leaf.js';

/** The amounts in the texts of an index, found when somebody asks for the first one. */
export class SeenAmounts {
  readonly #first = new Map<string, IndexedLeaf>();
  /** Leaves before this one were looked at. */
  #counted = 0;

  get size(): number {
    return this.#first.size;
  }

  /** Where a number, in any spelling or in words, was seen first. `leaves`: all of the index; `flags`: which of them count. */
  find(decimal: string, leaves: readonly IndexedLeaf[], flags: number): SourceMatch | undefined {
    for (; this.#counted < leaves.length; this.#counted++) {
      const leaf = leaves[this.#counted] as IndexedLeaf;
      if ((leaf.flags & flags) === 0) continue;
      for (const it of amountsIn(leaf.text)) if (!this.#first.has(it)) this.#first.set(it, leaf);
    }
    const found = this.#first.get(decimal);
    return found === undefined ? undefined : matchIn(found, Math.max(0, found.text.indexOf(decimal)));
  }
}
