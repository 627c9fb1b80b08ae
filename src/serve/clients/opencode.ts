import { knownClients } from '../../model/known-clients.js';
import type { Client } from './client.js';
import { applicationFolder, joinPathFor } from './client-paths.js';
import { jsonSettings } from './syntax/json-settings.js';

/** Its command is a list with the arguments. */
export const opencode: Client = {
  name: 'opencode',
  ...knownClients.opencode,
  scopes: ['user', 'project'],
  syntax: jsonSettings,
  container: ['mcp', 'servers'],
  earlierContainer: ['mcp'],
  managed: ['type', 'command', 'url', 'headers', 'enabled'],
  startsInProject: true,
  file: (scope, machine) => {
    if (scope === 'project') return joinPathFor(machine, machine.project, 'opencode.json');
    const folder =
      machine.platform === 'linux'
        ? applicationFolder(machine)
        : joinPathFor(machine, machine.home, '.config');
    return joinPathFor(machine, folder, 'opencode', 'opencode.json');
  },
  entry: (transport) =>
    transport.kind === 'stdio'
      ? { type: 'local', command: [transport.command, ...transport.args], enabled: true }
      : {
          type: 'remote',
          url: transport.url,
          headers: { Authorization: transport.authorization },
          enabled: true,
        },
  variable: (name) => `{env:${name}}`,
};
