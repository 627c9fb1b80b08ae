import type { Range } from '../../model/diagnostic.js';
import { codePointName, findHidden } from '../../model/unicode.js';
import { characterWidth } from './width.js';

const tabStop = 4;

interface Cell {
  readonly text: string;
  readonly cells: number;
  /** Whether the range covers the character. */
  readonly marked: boolean;
}

/** The source line of a range and the marks below it, both cut to `columns` cells around the range. */
export function sourceExcerpt(
  line: string,
  range: Range,
  columns: number,
): { source: string; marks: string } {
  const from = range.column - 1;
  const to = range.endLine > range.line ? line.length : Math.max(range.endColumn - 1, from + 1);
  const cells = layOut(line, from, to);
  const first = cells.findIndex((it) => it.marked);
  const { start, end } = window(cells, first === -1 ? cells.length : first, columns);
  const shown = cells.slice(start, end);
  const lead = start > 0 ? '…' : '';
  const tail = end < cells.length ? '…' : '';
  const source = lead + shown.map((it) => it.text).join('') + tail;
  let marks = ' '.repeat(lead.length);
  for (const cell of shown) marks += (cell.marked ? '^' : ' ').repeat(cell.cells);
  // A position at the end of a line has no character, so it gets one mark.
  return { source, marks: first === -1 ? `${marks}^` : marks.trimEnd() };
}

function layOut(line: string, from: number, to: number): Cell[] {
  const hidden = new Set(findHidden(line).map((it) => it.index));
  const cells: Cell[] = [];
  let column = 0;
  let index = 0;
  for (const character of line) {
    let text = character;
    if (character === '\t') text = ' '.repeat(tabStop - (column % tabStop));
    else if (hidden.has(index)) text = `<${codePointName(character.codePointAt(0) as number)}>`;
    let width = 0;
    for (const part of text) width += characterWidth(part);
    cells.push({ text, cells: width, marked: index >= from && index < to });
    column += width;
    index += character.length;
  }
  return cells;
}

/** A part of the line that fits and shows where the marks start, with some context before. */
function window(cells: readonly Cell[], focus: number, columns: number): { start: number; end: number } {
  const total = cells.reduce((sum, it) => sum + it.cells, 0);
  if (total <= columns) return { start: 0, end: cells.length };
  const room = columns - 2;
  let start = focus;
  let before = 0;
  while (start > 0 && before + (cells[start - 1] as Cell).cells <= room / 3)
    before += (cells[--start] as Cell).cells;
  let end = start;
  let used = 0;
  while (end < cells.length && used + (cells[end] as Cell).cells <= room)
    used += (cells[end++] as Cell).cells;
  return { start, end };
}
