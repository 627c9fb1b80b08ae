import { visibleLine } from '../print/visible.js';
import type { Arguments } from './command/command.js';
import type { InProcessHostOptions, Terminal } from './terminal/terminal.js';

/** With --verbose, prints the output of programs, to find errors in them. */
export function logOptions(args: Arguments, { err }: Terminal): Pick<InProcessHostOptions, 'onLog'> {
  if (!args.has('verbose')) return {};
  const json = args.has('json');
  return {
    onLog: (id, line) =>
      err(
        json
          ? `${JSON.stringify({ event: 'log', package: id, line })}\n`
          : `${visibleLine(`${id}: ${line}`)}\n`,
      ),
  };
}
