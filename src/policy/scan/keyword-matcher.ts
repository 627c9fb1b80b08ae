/** Keyword characters are numbered with this many bits. All other characters are one class: 0. */
const classBits = 6;
const classCount = 1 << classBits;
/** Added to the number of a state in which a keyword ends. */
const endFlag = 0x8000;

const kelvin = 0x212a;

/** A keyword that ends in a state. */
interface KeywordEnd {
  readonly list: number;
  readonly length: number;
}

/** The trie of all keywords: one state for each prefix of a keyword. State 0 is the root; 0 as a link means none. */
interface Trie {
  readonly stateCount: number;
  readonly firstChild: Uint16Array;
  readonly nextSibling: Uint16Array;
  /** By state: class of its last character. */
  readonly lastClass: Uint8Array;
  readonly ends: (readonly KeywordEnd[] | undefined)[];
}

/**
 * Finds the keywords of many lists in one pass over a text: an Aho-Corasick automaton. Keywords are ASCII in lower case;
 * upper-case letters in a text count as lower-case.
 */
export class KeywordMatcher {
  /** By ASCII code: the class of the character; 0 for those that no keyword has. */
  readonly #classes: Uint8Array;
  /** By state and class of the next character: the next state. */
  readonly #next: Uint16Array;
  /** By state. */
  readonly #ends: readonly (readonly KeywordEnd[] | undefined)[];

  constructor(lists: readonly (readonly string[])[]) {
    this.#classes = classesOf(lists);
    const trie = trieOf(lists, this.#classes);
    this.#next = transitionsOf(trie);
    this.#ends = trie.ends;
  }

  /** Reports the list and the start offset of each keyword, in the order of their ends. */
  forEachMatch(text: string, report: (list: number, at: number) => void): void {
    const next = this.#next;
    const classes = this.#classes;
    let state = 0;
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at);
      // The Kelvin sign is an upper-case k, too.
      const characterClass =
        code < 128 ? (classes[code] as number) : code === kelvin ? (classes[107] as number) : 0;
      state = next[(state << classBits) | characterClass] as number;
      if (state < endFlag) continue;
      state -= endFlag;
      for (const { list, length } of this.#ends[state] as readonly KeywordEnd[])
        report(list, at - length + 1);
    }
  }
}

function classesOf(lists: readonly (readonly string[])[]): Uint8Array {
  const classes = new Uint8Array(128);
  let used = 0;
  for (const list of lists) {
    for (const keyword of list) {
      for (let index = 0; index < keyword.length; index++) {
        const code = keyword.charCodeAt(index);
        if (classes[code] !== 0) continue;
        classes[code] = ++used;
        if (code >= 97 && code <= 122) classes[code - 32] = used;
      }
    }
  }
  if (used >= classCount) throw new Error('the keywords have too many different characters');
  return classes;
}

function trieOf(lists: readonly (readonly string[])[], classes: Uint8Array): Trie {
  const maxStates = lists.reduce((sum, list) => list.reduce((all, it) => all + it.length, sum), 1);
  if (maxStates >= endFlag) throw new Error('too many keywords');
  const firstChild = new Uint16Array(maxStates);
  const nextSibling = new Uint16Array(maxStates);
  const lastClass = new Uint8Array(maxStates);
  const ends: (readonly KeywordEnd[] | undefined)[] = new Array(maxStates).fill(undefined);
  let stateCount = 1;
  for (let list = 0; list < lists.length; list++) {
    for (const keyword of lists[list] as readonly string[]) {
      let state = 0;
      for (let index = 0; index < keyword.length; index++) {
        const characterClass = classes[keyword.charCodeAt(index)] as number;
        let child = firstChild[state] as number;
        while (child !== 0 && lastClass[child] !== characterClass) child = nextSibling[child] as number;
        if (child === 0) {
          child = stateCount++;
          lastClass[child] = characterClass;
          nextSibling[child] = firstChild[state] as number;
          firstChild[state] = child;
        }
        state = child;
      }
      ends[state] = [...(ends[state] ?? []), { list, length: keyword.length }];
    }
  }
  return { stateCount, firstChild, nextSibling, lastClass, ends };
}

/**
 * The transition table. Where no keyword continues, the fallback state does: the longest suffix that is a prefix of some
 * keyword, for most states the root. Also adds to `ends` what fallback states end.
 */
function transitionsOf({ stateCount, firstChild, nextSibling, lastClass, ends }: Trie): Uint16Array {
  const next = new Uint16Array(stateCount << classBits);
  const fallback = new Uint16Array(stateCount);
  const queue = new Uint16Array(stateCount);
  for (let done = 0, queued = 1; done < queued; done++) {
    const state = queue[done] as number;
    const row = state << classBits;
    const from = fallback[state] as number;
    if (from !== 0) next.copyWithin(row, from << classBits, (from + 1) << classBits);
    for (let child = firstChild[state] as number; child !== 0; child = nextSibling[child] as number) {
      const slot = row | (lastClass[child] as number);
      const suffix = state === 0 ? 0 : (next[slot] as number) & ~endFlag;
      const inherited = ends[suffix];
      if (inherited !== undefined) ends[child] = [...(ends[child] ?? []), ...inherited];
      fallback[child] = suffix;
      next[slot] = ends[child] === undefined ? child : child | endFlag;
      queue[queued++] = child;
    }
    // Every other state starts with the row of the root.
    if (state === 0)
      for (let size = classCount; size < next.length; size *= 2) next.copyWithin(size, 0, size);
  }
  return next;
}
