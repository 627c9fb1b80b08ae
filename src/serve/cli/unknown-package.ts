import { suggest } from '../../formats/suggest.js';
import type { RemoteHost } from '../../host/host.js';
import { visibleLine } from '../print/visible.js';
import type { Arguments } from './command/command.js';
import type { Terminal } from './terminal/terminal.js';

/**
 * Warns if no package with this id was used here before. The operation still runs, because a person may prepare it
 * before adding the package, but a misspelled name must be noticed.
 */
export async function warnIfUnknownPackage(
  host: RemoteHost,
  id: string,
  args: Arguments,
  terminal: Terminal,
): Promise<void> {
  // Names with an @ are the host's own, such as @broker.
  if (args.has('quiet') || id.startsWith('@')) return;
  const known = await host.switches.known();
  if (known.includes(id)) return;
  const meant = suggest(id, known);
  const next = meant === undefined ? '"toolwharf list DIR" shows the ids' : `did you mean ${meant}?`;
  terminal.err(
    `warning: no package named ${JSON.stringify(visibleLine(id))} was used here before; ${next}\n`,
  );
}
