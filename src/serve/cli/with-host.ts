import type { RemoteHost } from '../../host/host.js';
import { HostError } from '../../model/host-error.js';
import { stateDirectory } from './command/arguments.js';
import type { Arguments } from './command/command.js';
import { auditLocations } from './config/audit-locations.js';
import { terminalOperator } from './terminal/operator.js';
import type { Terminal } from './terminal/terminal.js';

/** Like `withHost`, but fails if the state directory does not exist. For commands that only read or change stored data. */
export async function withExistingHost<T>(
  args: Arguments,
  terminal: Terminal,
  use: (host: RemoteHost) => Promise<T>,
): Promise<T> {
  const state = stateDirectory(args, terminal.environment, terminal.cwd);
  if (!terminal.isFolder(state)) {
    throw new HostError('not_found', `no state directory at ${state}`, {
      hint: 'name the correct one with --state',
    });
  }
  return withHost(args, terminal, use);
}

/** Like `withHost`, for a command that changes nothing. */
export function lookAtHost<T>(
  args: Arguments,
  terminal: Terminal,
  use: (host: RemoteHost) => Promise<T>,
): Promise<T> {
  return withHost(args, terminal, use, undefined, true);
}

/** Runs `use` with the host of the state directory, and always closes the host afterwards. */
export async function withHost<T>(
  args: Arguments,
  terminal: Terminal,
  use: (host: RemoteHost) => Promise<T>,
  timeoutMs?: number,
  onlyLooks = false,
): Promise<T> {
  const state = stateDirectory(args, terminal.environment, terminal.cwd);
  const onWait = (message: string) => terminal.err(`${message}\n`);
  const host = await terminal.openHost({
    state,
    onWait,
    onlyLooks,
    audit: () => auditLocations(args, terminal),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  });
  try {
    return await use(withOperator(host, args, terminal));
  } finally {
    await host.close();
  }
}

/** Asks for the PIN, if one is set, before a session without a sandbox. */
function withOperator(host: RemoteHost, args: Arguments, terminal: Terminal): RemoteHost {
  return {
    ...host,
    session: async (options) =>
      host.session(
        options.policy?.unsafeNoSandbox === true
          ? { ...options, operator: await terminalOperator(host, args, terminal) }
          : options,
      ),
  };
}
