/** Different characters that keywords have, as bits of a number; all others are one kind. */
const bits = 6;
const width = 1 << bits;
/** Of a state in which a keyword ends. */
const ending = 0x8000;

const kelvin = 0x212a;

/** A keyword that ends in a state. */
interface End {
  readonly list: number;
  readonly length: number;
}

/** One state for each beginning of a keyword, each with the states that one more character leads to. */
interface Beginnings {
  readonly count: number;
  readonly first: Uint16Array;
  readonly sibling: Uint16Array;
  /** Class of the last character. */
  readonly letter: Uint8Array;
  readonly ends: (readonly End[] | undefined)[];
}

/**
 * Finds the keywords of many lists in one walk over a text, however many there are: an automaton after Aho and Corasick.
 * Keywords are ASCII in lower case; capitals in a text count as small letters.
 */
export class Keywords {
  /** By code: the number of the character, nought for those that no keyword has. */
  readonly #classes: Uint8Array;
  /** By state and class of the next character. The first state is nought, and so is what leads nowhere. */
  readonly #next: Uint16Array;
  /** By state. */
  readonly #ends: readonly (readonly End[] | undefined)[];

  constructor(lists: readonly (readonly string[])[]) {
    this.#classes = classesOf(lists);
    const beginnings = beginningsOf(lists, this.#classes);
    this.#next = joined(beginnings);
    this.#ends = beginnings.ends;
  }

  /** Tells of each keyword: which list it is of, and where it begins. In the order in which they end. */
  in(text: string, found: (list: number, at: number) => void): void {
    const next = this.#next;
    const classes = this.#classes;
    let state = 0;
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at);
      // The sign for kelvin is a capital k, too.
      const letter = code < 128 ? (classes[code] as number) : code === kelvin ? (classes[107] as number) : 0;
      state = next[(state << bits) | letter] as number;
      if (state < ending) continue;
      state -= ending;
      for (const { list, length } of this.#ends[state] as readonly End[]) found(list, at - length + 1);
    }
  }
}

function classesOf(lists: readonly (readonly string[])[]): Uint8Array {
  const classes = new Uint8Array(128);
  let known = 0;
  for (const list of lists) {
    for (const text of list) {
      for (let index = 0; index < text.length; index++) {
        const code = text.charCodeAt(index);
        if (classes[code] !== 0) continue;
        classes[code] = ++known;
        if (code >= 97 && code <= 122) classes[code - 32] = known;
      }
    }
  }
  if (known >= width) throw new Error('keywords have too many different characters');
  return classes;
}

function beginningsOf(lists: readonly (readonly string[])[], classes: Uint8Array): Beginnings {
  const most = lists.reduce((sum, list) => list.reduce((all, it) => all + it.length, sum), 1);
  if (most >= ending) throw new Error('keywords are too many');
  const first = new Uint16Array(most);
  const sibling = new Uint16Array(most);
  const letter = new Uint8Array(most);
  const ends: (readonly End[] | undefined)[] = new Array(most).fill(undefined);
  let count = 1;
  for (let list = 0; list < lists.length; list++) {
    for (const text of lists[list] as readonly string[]) {
      let state = 0;
      for (let index = 0; index < text.length; index++) {
        const next = classes[text.charCodeAt(index)] as number;
        let to = first[state] as number;
        while (to !== 0 && letter[to] !== next) to = sibling[to] as number;
        if (to === 0) {
          to = count++;
          letter[to] = next;
          sibling[to] = first[state] as number;
          first[state] = to;
        }
        state = to;
      }
      ends[state] = [...(ends[state] ?? []), { list, length: text.length }];
    }
  }
  return { count, first, sibling, letter, ends };
}

/** Where no keyword goes on, it goes on from the longest end that is the beginning of another: for most, from nothing. */
function joined({ count, first, sibling, letter, ends }: Beginnings): Uint16Array {
  const next = new Uint16Array(count << bits);
  const fallback = new Uint16Array(count);
  const pending = new Uint16Array(count);
  for (let done = 0, known = 1; done < known; done++) {
    const state = pending[done] as number;
    const own = state << bits;
    const from = fallback[state] as number;
    if (from !== 0) next.copyWithin(own, from << bits, (from + 1) << bits);
    for (let to = first[state] as number; to !== 0; to = sibling[to] as number) {
      const slot = own | (letter[to] as number);
      const other = state === 0 ? 0 : (next[slot] as number) & ~ending;
      const inherited = ends[other];
      if (inherited !== undefined) ends[to] = [...(ends[to] ?? []), ...inherited];
      fallback[to] = other;
      next[slot] = ends[to] === undefined ? to : to | ending;
      pending[known++] = to;
    }
    // What can follow on nothing can follow on everything else.
    if (state === 0) for (let size = width; size < next.length; size *= 2) next.copyWithin(size, 0, size);
  }
  return next;
}
