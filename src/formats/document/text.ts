import type { Range } from '../../model/diagnostic.js';

/** Decoded text of a file that can say where an offset is. Line starts are found on the first question. */
export class SourceText {
  readonly text: string;
  #starts: number[] | undefined;

  constructor(text: string) {
    this.text = text;
  }

  /** Offsets are clamped to the text, so that every question has an answer. */
  range(start: number, end: number = start): Range {
    const from = this.#place(start);
    const to = this.#place(Math.max(start, end));
    return { line: from.line, column: from.column, endLine: to.line, endColumn: to.column };
  }

  /** Where a line starts; lines count from 1 and are clamped like offsets. */
  offset(line: number): number {
    const starts = this.#lineStarts();
    return starts[Math.min(Math.max(line, 1), starts.length) - 1] as number;
  }

  #place(offset: number): { line: number; column: number } {
    const starts = this.#lineStarts();
    const wanted = Math.min(Math.max(offset, 0), this.text.length);
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((starts[middle] as number) <= wanted) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: wanted - (starts[low] as number) + 1 };
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
