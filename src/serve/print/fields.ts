import type { Style } from './style.js';
import { visibleLine } from './visible.js';
import { wrap } from './width.js';

/**
 * Lines with a label before the first one, wrapped to the width of the terminal. Hidden characters become visible.
 * `label`: width of the labels.
 */
export function fieldPrinter(style: Style, columns: number, label = 12) {
  const field = (name: string, values: readonly string[]): string[] =>
    values.flatMap((value, index) =>
      wrap(visibleLine(value), Math.max(20, columns - label - 1)).map((line, part) => {
        const head = index === 0 && part === 0 ? name : '';
        return `${style.bold(head.padEnd(label))} ${line}`;
      }),
    );
  const marked = (mark: string, values: readonly string[]): string[] =>
    values.flatMap((value) =>
      wrap(visibleLine(value), Math.max(20, columns - 4)).map(
        (line, index) => `  ${index === 0 ? mark : ' '} ${line}`,
      ),
    );
  const section = (title: string, mark: string, values: readonly string[]) =>
    values.length === 0 ? [] : ['', style.bold(title), ...marked(mark, values)];
  return { field, section };
}
