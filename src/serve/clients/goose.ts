import { knownClients } from '../../model/known-clients.js';
import type { Client } from './client.js';
import { applicationFolder, joinPathFor } from './client-paths.js';
import { yamlSettings } from './syntax/yaml-settings.js';

export const goose: Client = {
  name: 'goose',
  ...knownClients.goose,
  scopes: ['user'],
  syntax: yamlSettings,
  container: ['extensions'],
  managed: ['name', 'type', 'cmd', 'args', 'uri', 'headers', 'enabled', 'timeout'],
  startsInProject: true,
  file: (_scope, machine) => {
    if (machine.platform === 'win32')
      return joinPathFor(machine, applicationFolder(machine), 'Block', 'goose', 'config', 'config.yaml');
    const folder =
      machine.platform === 'linux'
        ? applicationFolder(machine)
        : joinPathFor(machine, machine.home, '.config');
    return joinPathFor(machine, folder, 'goose', 'config.yaml');
  },
  entry: (transport, name) => ({
    name,
    enabled: true,
    timeout: 300,
    ...(transport.kind === 'stdio'
      ? { type: 'stdio', cmd: transport.command, args: transport.args }
      : { type: 'streamable_http', uri: transport.url, headers: { Authorization: transport.authorization } }),
  }),
  variable: (name) => `\${${name}}`,
};
