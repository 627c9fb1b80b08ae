import { visibleLine } from '../print/visible.js';
import type { Arguments } from './arguments.js';
import type { StartHostOptions, Terminal } from './terminal.js';

/** With --verbose, what programs print is shown: for whoever looks for a mistake in one. */
export function logOptions(args: Arguments, { err }: Terminal): Pick<StartHostOptions, 'onLog'> {
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
