import type { Evidence } from '../../model/approval.js';
import type { Json } from '../../model/json.js';
import { revealJson, revealLine } from './reveal.js';

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

/** One fact a line, the labels in a column. */
export function printFacts(facts: readonly (readonly [string, string])[], margin = '  '): string {
  return facts
    .map(
      ([label, text]) =>
        `${margin}${label.padEnd(10)} ${text.replaceAll('\n', `\n${margin}${' '.repeat(11)}`)}\n`,
    )
    .join('');
}
