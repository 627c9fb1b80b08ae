import { openAgreeingSession } from '../cli/agreeing-session.js';
import type { Arguments } from '../cli/command/command.js';
import { sessionFor } from '../cli/config/session-options.js';
import type { Terminal } from '../cli/terminal/terminal.js';
import { withHost } from '../cli/with-host.js';
import { visibleLine } from '../print/visible.js';

/**
 * The person named the folders and agreed to the entry of the client, so the packages there are accepted. The client
 * itself starts `mcp`, which accepts nothing.
 */
export async function acceptConnectedPackages(
  paths: readonly string[],
  args: Arguments,
  terminal: Terminal,
): Promise<void> {
  const options = await sessionFor(args, terminal, paths);
  await withHost(args, terminal, async (host) => {
    const reviewing = { ...options, intent: 'review' as const };
    const session = await openAgreeingSession(host, reviewing, paths, args, terminal);
    const waiting = (await session.packages()).packages.filter((it) => it.state === 'needs-review');
    for (const it of waiting)
      terminal.err(`needs review: ${visibleLine(`${it.id ?? it.path}: ${it.reasons.join('; ')}`)}\n`);
  });
}
