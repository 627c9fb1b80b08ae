import type { ChangeProgress } from '../../host/host.js';
import { visibleLine } from '../print/visible.js';
import type { Arguments } from './command/command.js';
import type { Terminal } from './terminal/terminal.js';

/** One line per step. While bytes arrive, nothing more is printed: a pipe or log would fill with them. */
export function changeProgress(
  args: Arguments,
  terminal: Terminal,
): ((progress: ChangeProgress) => void) | undefined {
  if (args.has('quiet')) return undefined;
  let last = '';
  return ({ step, detail }) => {
    const line = `${step}: ${visibleLine(detail)}`;
    if (line !== last) terminal.err(`${line} …\n`);
    last = line;
  };
}
