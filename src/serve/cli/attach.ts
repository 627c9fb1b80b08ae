import type { Host } from '../../host/host.js';
import { type Arguments, stateDirectory } from './arguments.js';
import type { Terminal } from './terminal.js';

/** Runs something with the host of the state directory and lets go of it whatever happens. */
export async function withHost<T>(
  args: Arguments,
  terminal: Terminal,
  use: (host: Host) => Promise<T>,
): Promise<T> {
  const state = stateDirectory(args, terminal.environment, terminal.cwd);
  const host = await terminal.openHost({ state, onWait: (message) => terminal.err(`${message}\n`) });
  try {
    return await use(host);
  } finally {
    await host.close();
  }
}
