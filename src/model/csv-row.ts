/** A program that shows tables runs a cell that begins like this as a formula. Also after spaces, and in full width. */
const formulaStart = /^\s*[=+\-@\t\r\n|%＝＋－＠]/u;

/** One row as in RFC 4180. Text from others never starts a formula: it gets an apostrophe before it. */
export function csvRow(cells: readonly (string | number | null)[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}

function csvCell(cell: string | number | null): string {
  if (cell === null) return '';
  if (typeof cell === 'number') return String(cell);
  const shown = formulaStart.test(cell) ? `'${cell}` : cell;
  return `"${shown.replaceAll('"', '""')}"`;
}
