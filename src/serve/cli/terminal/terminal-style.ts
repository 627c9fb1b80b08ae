import { makeStyle, type Style } from '../../print/style.js';
import type { Arguments } from '../command/command.js';
import type { Terminal } from './terminal.js';

/** Colors on a terminal, unless --color or NO_COLOR says otherwise. */
export function terminalStyle(args: Arguments, terminal: Terminal): Style {
  const choice = args.value('color') ?? 'auto';
  const noColor = terminal.environment.NO_COLOR !== undefined && terminal.environment.NO_COLOR !== '';
  return makeStyle(choice === 'always' || (choice === 'auto' && terminal.stdoutIsTerminal && !noColor));
}
