import { visibleLine } from '../print/visible.js';
import type { Arguments } from './arguments.js';
import type { Option } from './command.js';
import type { Terminal } from './terminal.js';

/** For commands that change something. Each looks at what it would do it to, so that a wrong name is told all the same. */
export const dryRunOption: Option = { name: 'dry-run', text: 'say what would be done, and do nothing' };

export function isDryRun(args: Arguments): boolean {
  return args.has('dry-run');
}

/** Says what would be done, as the end of "would …". */
export function tellDryRun(would: string, args: Arguments, terminal: Terminal): number {
  if (args.has('json')) terminal.out(`${JSON.stringify({ schema: 'toolwharf/dry-run@1', would })}\n`);
  else terminal.out(`would ${visibleLine(would)}\n`);
  return 0;
}
