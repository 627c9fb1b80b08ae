import type { Range } from '../../model/diagnostic.js';

/** The text of a file that converts offsets to lines and columns. Line starts are computed on first use. */
export class SourceText {
  readonly text: string;
  #starts: number[] | undefined;

  constructor(text: string) {
    this.text = text;
  }

  /** Offsets outside the text are clamped. */
  range(start: number, end: number = start): Range {
    const from = this.#position(start);
    const to = this.#position(Math.max(start, end));
    return { line: from.line, column: from.column, endLine: to.line, endColumn: to.column };
  }

  /** The offset where a line starts. Lines start at 1; numbers outside the text are clamped. */
  offset(line: number): number {
    const starts = this.#lineStarts();
    return starts[Math.min(Math.max(line, 1), starts.length) - 1] as number;
  }

  #position(offset: number): { line: number; column: number } {
    const starts = this.#lineStarts();
    const clamped = Math.min(Math.max(offset, 0), this.text.length);
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((starts[middle] as number) <= clamped) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: clamped - (starts[low] as number) + 1 };
  }

  #lineStarts(): number[] {
    if (this.#starts === undefined) {
      const starts = [0];
      for (let at = this.text.indexOf('\n'); at !== -1; at = this.text.indexOf('\n', at + 1))
        starts.push(at + 1);
      this.#starts = starts;
    }
    return this.#starts;
  }
}
