import type { Host } from '../../host/host.js';
import { HostError } from '../../model/host-error.js';
import { type Arguments, stateDirectory } from './arguments.js';
import { auditPlaces } from './audit-places.js';
import type { Terminal } from './terminal.js';

/** Commands that only look at what was kept do not make a state directory to look into. */
export async function withKeptHost<T>(
  args: Arguments,
  terminal: Terminal,
  use: (host: Host) => Promise<T>,
): Promise<T> {
  const state = stateDirectory(args, terminal.environment, terminal.cwd);
  if (!terminal.isFolder(state)) {
    throw new HostError('not_found', `there is no state directory ${state}`, {
      hint: 'name the right one with --state',
    });
  }
  return withHost(args, terminal, use);
}

/** Runs something with the host of the state directory and lets go of it whatever happens. */
export async function withHost<T>(
  args: Arguments,
  terminal: Terminal,
  use: (host: Host) => Promise<T>,
  patienceMs?: number,
): Promise<T> {
  const state = stateDirectory(args, terminal.environment, terminal.cwd);
  const onWait = (message: string) => terminal.err(`${message}\n`);
  const host = await terminal.openHost({
    state,
    onWait,
    audit: () => auditPlaces(args, terminal),
    ...(patienceMs === undefined ? {} : { patienceMs }),
  });
  try {
    return await use(host);
  } finally {
    await host.close();
  }
}
