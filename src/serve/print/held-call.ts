import type { Evidence } from '../../model/approval.js';
import type { Json } from '../../model/json.js';
import { revealJson, revealLine } from './reveal.js';
import { pieces } from './width.js';

/** What a person judges, wherever they are asked. */
export interface HeldCall {
  readonly tool: string;
  readonly arguments: Json;
  readonly evidence: readonly Evidence[];
  readonly reasons: readonly string[];
}

const words: Record<Evidence['kind'], string> = {
  effect: 'effect',
  destination: 'goes to',
  amount: 'amount',
  address: 'names',
  workspace: 'works in',
  grant: 'granted',
};

/** Label and text of each fact; everything is shown in full, and nothing is hidden in it. */
export function heldFacts({ evidence, reasons, arguments: given }: HeldCall): [string, string][] {
  return [
    ...evidence.map((it): [string, string] => {
      const at = it.at === undefined ? '' : `  (${revealLine(it.at)})`;
      return [words[it.kind], `${revealLine(it.text)}${at}`];
    }),
    ...reasons.map((it): [string, string] => ['because', revealLine(it)]),
    ['arguments', revealJson(given)],
  ];
}

/** Facts in lines of at most `columns` cells, the labels in a column. */
export function printFacts(
  facts: readonly (readonly [string, string])[],
  columns = Number.POSITIVE_INFINITY,
  margin = '  ',
): string {
  const room = columns - margin.length - labelWidth;
  return facts
    .flatMap(([label, text]) =>
      text
        .split('\n')
        .flatMap((line) => fold(line, room))
        .map((line, index) => `${margin}${(index === 0 ? label : '').padEnd(labelWidth - 1)} ${line}\n`),
    )
    .join('');
}

const labelWidth = 11;

/**
 * A line that goes on is marked where it does, so that no value can pass for the next line of what is shown. Nothing is
 * left out at the fold.
 */
function fold(line: string, room: number): string[] {
  const indent = /^ */.exec(line)?.[0] ?? '';
  const [first = '', ...rest] = pieces(line.slice(indent.length), Math.max(10, room - indent.length - 2));
  return [`${indent}${first}`, ...rest.map((it) => `${indent}↪ ${it}`)];
}
