import { HostError } from '../../../model/host-error.js';
import { stateDirectory } from '../command/arguments.js';
import type { Arguments } from '../command/command.js';
import { sessionSettings } from '../config/config.js';
import type { RegistryReach, Terminal } from '../terminal/terminal.js';

/** The registries of the configuration. Throws if there are none. */
export async function configuredRegistries(args: Arguments, terminal: Terminal): Promise<RegistryReach> {
  const { policy } = await sessionSettings(args, terminal);
  if ((policy.registries ?? []).length === 0)
    throw new HostError('not_found', 'no registry is configured', {
      hint: 'add one to your config.toml: [registries.NAME] with url or path, and root; see docs/registry.md',
    });
  return { policy, state: stateDirectory(args, terminal.environment, terminal.cwd) };
}
