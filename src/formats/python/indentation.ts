/** How far a line is indented: with a tab up to the next multiple of 8, and with a tab as one column. */
export interface Columns {
  readonly column: number;
  readonly narrow: number;
}

/** A limit of the Python compiler. */
const maxIndents = 100;
const mixed = 'tabs and spaces are mixed in the indentation';

/** The open blocks of Python code. */
export class Indentation {
  readonly #open: Columns[] = [{ column: 0, narrow: 0 }];

  /** The number of open blocks. */
  get depth(): number {
    return this.#open.length - 1;
  }

  /** The number of blocks that a line opens (1) or closes (below 0). Text: what is wrong with it. */
  change(line: Columns): number | string {
    const current = this.#last();
    if (line.column > current.column) {
      if (line.narrow <= current.narrow) return mixed;
      if (this.#open.length >= maxIndents) return 'there are too many levels of indentation';
      this.#open.push(line);
      return 1;
    }
    let closed = 0;
    for (; this.#last().column > line.column; closed++) this.#open.pop();
    const { column, narrow } = this.#last();
    if (column !== line.column) return 'this indentation matches no block above';
    return narrow === line.narrow ? -closed : mixed;
  }

  #last(): Columns {
    return this.#open.at(-1) as Columns;
  }
}
