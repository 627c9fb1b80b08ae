import type { Evidence } from '../../model/approval.js';
import type { Json } from '../../model/json.js';
import { revealJson, revealLine } from './reveal.js';
import { wrapLossless } from './width.js';

/** What a person needs to decide on a held call. */
export interface HeldCallView {
  readonly tool: string;
  readonly arguments: Json;
  readonly evidence: readonly Evidence[];
  readonly reasons: readonly string[];
}

const labels: Record<Evidence['kind'], string> = {
  effect: 'effect',
  destination: 'goes to',
  amount: 'amount',
  address: 'names',
  workspace: 'works in',
  grant: 'granted',
  fixed: 'fixed',
  taint: 'from',
};

/** Label and text of each fact, in full, with hidden characters made visible. */
export function heldFacts({ evidence, reasons, arguments: callArguments }: HeldCallView): [string, string][] {
  return [
    ...evidence.map((it): [string, string] => {
      const at = it.at === undefined ? '' : `  (${revealLine(it.at)})`;
      return [labels[it.kind], `${revealLine(it.text)}${at}`];
    }),
    ...reasons.map((it): [string, string] => ['because', revealLine(it)]),
    ['arguments', revealJson(callArguments)],
  ];
}

/** Prints facts in lines of at most `columns` cells, with the labels in a column. */
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
 * Continued lines start with a mark, so that no value can imitate the next line of the output. Wrapping drops no
 * character.
 */
function fold(line: string, room: number): string[] {
  const indent = /^ */.exec(line)?.[0] ?? '';
  const [first = '', ...rest] = wrapLossless(
    line.slice(indent.length),
    Math.max(10, room - indent.length - 2),
  );
  return [`${indent}${first}`, ...rest.map((it) => `${indent}↪ ${it}`)];
}
