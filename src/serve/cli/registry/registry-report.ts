import type { JsonObject } from '../../../model/json.js';
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
