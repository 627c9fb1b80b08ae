import { knownClients } from '../../model/known-clients.js';
import type { Client } from './client.js';
import { joinPathFor } from './client-paths.js';
import { entryMembers, plainEntry } from './server-entry.js';
import { jsonSettings } from './syntax/json-settings.js';

export const lmStudio: Client = {
  name: 'lm-studio',
  ...knownClients['lm-studio'],
  scopes: ['user'],
  syntax: jsonSettings,
  container: ['mcpServers'],
  managed: entryMembers,
  startsInProject: false,
  file: (_scope, machine) => joinPathFor(machine, machine.home, '.lmstudio', 'mcp.json'),
  entry: (transport) => plainEntry(transport, 'url'),
  variable: (name) => `\${${name}}`,
};
