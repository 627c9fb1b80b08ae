import type { Explanation } from '../../host/host.js';
import { printExplanation } from '../print/explanation.js';
import type { Arguments } from './arguments.js';
import { styleFor } from './style-for.js';
import type { Terminal } from './terminal.js';

/** What would become of a call, for `policy explain` and `call --dry-run`. */
export function tellExplanation(
  found: Explanation,
  principal: string,
  args: Arguments,
  terminal: Terminal,
): number {
  if (args.has('json'))
    terminal.out(`${JSON.stringify({ schema: 'toolwharf/policy@1', principal, ...found })}\n`);
  else terminal.out(printExplanation(found, principal, styleFor(args, terminal)));
  return 0;
}
