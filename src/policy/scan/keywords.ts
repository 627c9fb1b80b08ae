/** Different characters that keywords have, as bits of a number; all others are one kind. */
const bits = 6;
const width = 1 << bits;

const kelvin = 0x212a;

/** A keyword that ends in a state. */
interface End {
  readonly list: number;
  readonly length: number;
}

interface Automaton {
  /** By state and class of the next character. */
  readonly next: Uint16Array;
  /** By state. */
  readonly ends: readonly (readonly End[])[];
}

/**
 * Finds the keywords of many lists in one walk over a text, however many there are: an automaton after Aho and Corasick.
 * Keywords are ASCII in lower case; capitals in a text count as small letters.
 */
export class Keywords {
  /** By code: the number of the character, nought for those that no keyword has. */
  readonly #classes: Uint8Array;
  readonly #next: Uint16Array;
  /** Of states with this number and above. */
  readonly #ends: readonly (readonly End[])[];
  readonly #firstEnd: number;

  constructor(lists: readonly (readonly string[])[]) {
    this.#classes = classesOf(lists);
    const { next, ends } = withEndsLast(complete(trieOf(lists, this.#classes)));
    this.#next = next;
    this.#ends = ends.filter((it) => it.length > 0);
    this.#firstEnd = ends.length - this.#ends.length;
  }

  /** Tells of each keyword: which list it is of, and where it begins. In the order in which they end. */
  in(text: string, found: (list: number, at: number) => void): void {
    const next = this.#next;
    const classes = this.#classes;
    const firstEnd = this.#firstEnd;
    let state = 0;
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at);
      // The sign for kelvin is a capital k, too.
      const letter = code < 128 ? (classes[code] as number) : code === kelvin ? (classes[107] as number) : 0;
      state = next[(state << bits) | letter] as number;
      if (state < firstEnd) continue;
      for (const { list, length } of this.#ends[state - firstEnd] as readonly End[])
        found(list, at - length + 1);
    }
  }
}

function classesOf(lists: readonly (readonly string[])[]): Uint8Array {
  const classes = new Uint8Array(128);
  const characters = [...new Set(lists.flat().join(''))];
  if (characters.length >= width) throw new Error('keywords have too many different characters');
  for (const [index, character] of characters.entries()) {
    classes[character.charCodeAt(0)] = index + 1;
    classes[character.toUpperCase().charCodeAt(0)] = index + 1;
  }
  return classes;
}

/** The root is nought, and so is what leads nowhere. */
function trieOf(lists: readonly (readonly string[])[], classes: Uint8Array): Automaton {
  const most = 1 + lists.flat().reduce((sum, it) => sum + it.length, 0);
  const next = new Uint16Array(most << bits);
  const ends: End[][] = [[]];
  for (const [list, keywords] of lists.entries()) {
    for (const text of new Set(keywords)) {
      let state = 0;
      for (let index = 0; index < text.length; index++) {
        const slot = (state << bits) | (classes[text.charCodeAt(index)] as number);
        if (next[slot] === 0) next[slot] = ends.push([]) - 1;
        state = next[slot] as number;
      }
      ends[state]?.push({ list, length: text.length });
    }
  }
  return { next: next.slice(0, ends.length << bits), ends };
}

/** Where nothing goes on, it goes on from the longest end that is the beginning of a keyword. */
function complete({ next, ends }: Automaton): Automaton {
  const all: (readonly End[])[] = [...ends];
  const fallback = new Uint16Array(ends.length);
  const pending = [...next.subarray(0, width)].filter((it) => it !== 0);
  for (const state of pending) {
    const from = fallback[state] as number;
    all[state] = [...(all[state] ?? []), ...(all[from] ?? [])];
    for (let letter = 0; letter < width; letter++) {
      const slot = (state << bits) | letter;
      const other = next[(from << bits) | letter] as number;
      const to = next[slot] as number;
      if (to === 0) next[slot] = other;
      else {
        fallback[to] = other;
        pending.push(to);
      }
    }
  }
  return { next, ends: all };
}

/** Numbered anew, so that one comparison tells whether a keyword ends. */
function withEndsLast({ next, ends }: Automaton): Automaton {
  const states = [...ends.keys()];
  const isEnd = (state: number) => (ends[state]?.length ?? 0) > 0;
  const order = [...states.filter((it) => !isEnd(it)), ...states.filter(isEnd)];
  const numbers = new Uint16Array(ends.length);
  for (const [number, state] of order.entries()) numbers[state] = number;
  const moved = new Uint16Array(next.length);
  for (const [number, state] of order.entries())
    for (let letter = 0; letter < width; letter++)
      moved[(number << bits) | letter] = numbers[next[(state << bits) | letter] as number] as number;
  return { next: moved, ends: order.map((it) => ends[it] ?? []) };
}
