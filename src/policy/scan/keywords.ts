/** Which of many lists of keywords a text holds one of, in one walk over the text. ASCII in lower case. */
export class Keywords {
  /** By the first two characters: keywords, each with the lists it is of. */
  readonly #pairs: readonly (readonly Keyword[] | undefined)[];
  readonly #singles: readonly Keyword[];
  readonly #lists: number;

  constructor(lists: readonly (readonly string[])[]) {
    const pairs: Keyword[][] = new Array(128 * 128);
    const singles: Keyword[] = [];
    for (const [list, keywords] of lists.entries()) {
      for (const text of keywords) {
        if (text.length === 1) singles.push({ text, list });
        else {
          const pair = text.charCodeAt(0) * 128 + text.charCodeAt(1);
          const known = pairs[pair];
          if (known === undefined) pairs[pair] = [{ text, list }];
          else known.push({ text, list });
        }
      }
    }
    this.#pairs = Array.from(pairs);
    this.#singles = singles;
    this.#lists = lists.length;
  }

  /** The indexes of the lists, in their order. */
  in(text: string): number[] {
    const lower = text.toLowerCase();
    const hit = new Uint8Array(this.#lists);
    for (const { text: single, list } of this.#singles) if (lower.includes(single)) hit[list] = 1;
    let before = 128;
    for (let at = 0; at < lower.length; at++) {
      const code = lower.charCodeAt(at);
      const found = before < 128 && code < 128 ? this.#pairs[before * 128 + code] : undefined;
      before = code;
      if (found === undefined) continue;
      for (const { text: keyword, list } of found)
        if (hit[list] === 0 && lower.startsWith(keyword, at - 1)) hit[list] = 1;
    }
    const indexes: number[] = [];
    for (let list = 0; list < this.#lists; list++) if (hit[list] === 1) indexes.push(list);
    return indexes;
  }
}

interface Keyword {
  readonly text: string;
  readonly list: number;
}
