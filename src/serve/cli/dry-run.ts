import { visibleLine } from '../print/visible.js';
import type { Arguments, Option } from './command/command.js';
import type { Terminal } from './terminal/terminal.js';

/** For commands that change something. They still check the names they were given, so that a wrong one is an error. */
export const dryRunOption: Option = { name: 'dry-run', text: 'show what would be done, without doing it' };

export function isDryRun(args: Arguments): boolean {
  return args.has('dry-run');
}

/** Prints "would …". `would` starts with a verb. */
export function reportDryRun(would: string, args: Arguments, terminal: Terminal): number {
  if (args.has('json')) terminal.out(`${JSON.stringify({ schema: 'toolwharf/dry-run@1', would })}\n`);
  else terminal.out(`would ${visibleLine(would)}\n`);
  return 0;
}
