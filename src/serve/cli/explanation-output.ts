import type { Explanation } from '../../host/host.js';
import { printExplanation } from '../print/explanation.js';
import type { Arguments } from './command/command.js';
import type { Terminal } from './terminal/terminal.js';
import { terminalStyle } from './terminal/terminal-style.js';

/** Prints what would happen to a call, for `policy explain` and `call --dry-run`. */
export function outputExplanation(
  explanation: Explanation,
  principal: string,
  args: Arguments,
  terminal: Terminal,
): number {
  if (args.has('json'))
    terminal.out(`${JSON.stringify({ schema: 'toolwharf/policy@1', principal, ...explanation })}\n`);
  else terminal.out(printExplanation(explanation, principal, terminalStyle(args, terminal)));
  return 0;
}
