import type { JsonObject } from '../../../model/json.js';
import type { DueFile } from '../../../registry/repository/repository-renewal.js';
import { visibleLine } from '../../print/visible.js';
import type { Arguments } from '../command/command.js';
import type { Terminal } from '../terminal/terminal.js';

/** Prints what a command did to a registry: lines for people, or one document with the facts. */
export function reportRegistry(
  lines: readonly string[],
  { did, ...facts }: JsonObject & { readonly did: string },
  args: Arguments,
  terminal: Terminal,
): number {
  if (args.has('json')) terminal.out(`${JSON.stringify({ schema: 'toolwharf/registry@1', did, facts })}\n`);
  else if (!args.has('quiet')) terminal.out(lines.map((it) => `${visibleLine(it)}\n`).join(''));
  return 0;
}

const maxDue = 10;

/** What must be signed again soon, by whom, and how. */
export function dueLines(due: readonly DueFile[]): string[] {
  const lines = due.slice(0, maxDue).map(({ kind, name, expires }) => {
    const day = expires.slice(0, 10);
    return kind === 'namespace'
      ? `the namespace ${name} expires on ${day}: its publisher runs "toolwharf registry renew ${name}"`
      : `${kind} expires on ${day}: run "toolwharf registry renew" with its keys: --keys DIR, once for each folder`;
  });
  return due.length > maxDue ? [...lines, `and ${due.length - maxDue} more`] : lines;
}

/** A number with its noun. */
export function amountText(count: number, noun: string, many = `${noun}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? noun : many}`;
}
