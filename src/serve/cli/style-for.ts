import { makeStyle, type Style } from '../print/style.js';
import type { Arguments } from './arguments.js';
import type { Terminal } from './terminal.js';

/** Color where a person looks, unless they said otherwise. */
export function styleFor(args: Arguments, terminal: Terminal): Style {
  const wish = args.value('color') ?? 'auto';
  const silenced = terminal.environment.NO_COLOR !== undefined && terminal.environment.NO_COLOR !== '';
  return makeStyle(wish === 'always' || (wish === 'auto' && terminal.stdoutIsTerminal && !silenced));
}
