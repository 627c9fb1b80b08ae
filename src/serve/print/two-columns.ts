import { pad, width, wrap } from './width.js';

/** A term that is never wrapped, and its description. */
export type TwoColumnRow = readonly [head: string, text: string];

/** Below this width, a second column is not readable. */
const narrowestText = 24;
const margin = '  ';

/**
 * Terms in the first column and descriptions in the second, in lines of at most `columns` cells. If a term is wider than
 * the first column, or the terminal is too narrow, the description is below the term.
 */
export function printTwoColumns(
  entries: readonly TwoColumnRow[],
  columns: number,
  widestHead: number,
): string[] {
  const first = Math.min(widestHead, Math.max(0, ...entries.map(([head]) => width(head))));
  const room = columns - margin.length - first - 2;
  const below = ' '.repeat(margin.length + 4 + Math.max(0, ...entries.map(([head]) => head.search(/\S|$/))));
  return entries.flatMap(([head, text]) => {
    const beside = width(head) <= first && room >= narrowestText;
    const lines = wrap(text, beside ? room : Math.max(narrowestText, columns - below.length));
    if (!beside) return [`${margin}${head}`, ...lines.map((it) => `${below}${it}`)];
    return lines.map((it, index) => `${margin}${pad(index === 0 ? head : '', first)}  ${it}`.trimEnd());
  });
}
