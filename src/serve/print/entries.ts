import { pad, width, wrap } from './width.js';

/** A word or line that is never broken, and what there is to say about it. */
export type Entry = readonly [head: string, text: string];

/** Below this a second column is no help. */
const narrowestText = 24;
const margin = '  ';

/**
 * Entries with their texts in a second column, in lines of at most `columns` cells. Where a head is wider than the first
 * column, or the terminal too narrow for two, the text stands below it.
 */
export function printEntries(entries: readonly Entry[], columns: number, widestHead: number): string[] {
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
