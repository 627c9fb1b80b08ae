import { suggest } from '../../formats/suggest.js';
import type { Host } from '../../host/host.js';
import { visibleLine } from '../print/visible.js';
import type { Arguments } from './arguments.js';
import type { Terminal } from './terminal.js';

/**
 * Says that no package of an id was served here so far. A person may be ahead of the package, so the act is done all
 * the same; but a name that is misspelt must not go unnoticed.
 */
export async function tellUnseen(host: Host, id: string, args: Arguments, terminal: Terminal): Promise<void> {
  // Names with an @ are the host's own, such as @broker.
  if (args.has('quiet') || id.startsWith('@')) return;
  const known = await host.switches.known();
  if (known.includes(id)) return;
  const meant = suggest(id, known);
  const next = meant === undefined ? 'see the ids with "toolwharf list DIR"' : `did you mean ${meant}?`;
  terminal.err(`warning: no package ${JSON.stringify(visibleLine(id))} was used here so far; ${next}\n`);
}
