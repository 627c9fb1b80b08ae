import { knownClients } from '../../model/known-clients.js';
import type { Client } from './client.js';
import { joinPathFor } from './client-paths.js';
import { yamlSettings } from './syntax/yaml-settings.js';

/** Its servers are a list. */
export const continueDev: Client = {
  name: 'continue',
  ...knownClients.continue,
  scopes: ['user'],
  syntax: yamlSettings,
  container: ['mcpServers'],
  isList: true,
  managed: ['name', 'type', 'command', 'args', 'url', 'requestOptions'],
  startsInProject: false,
  file: (_scope, machine) => joinPathFor(machine, machine.home, '.continue', 'config.yaml'),
  entry: (transport, name) =>
    transport.kind === 'stdio'
      ? { name, command: transport.command, args: transport.args }
      : {
          name,
          type: 'streamable-http',
          url: transport.url,
          requestOptions: { headers: { Authorization: transport.authorization } },
        },
  variable: (name) => `\${{ secrets.${name} }}`,
};
