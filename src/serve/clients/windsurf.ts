import { knownClients } from '../../model/known-clients.js';
import type { Client } from './client.js';
import { joinPathFor } from './client-paths.js';
import { entryMembers, plainEntry } from './server-entry.js';
import { jsonSettings } from './syntax/json-settings.js';

/** Has one file per user and none per project. */
export const windsurf: Client = {
  name: 'windsurf',
  ...knownClients.windsurf,
  scopes: ['user'],
  syntax: jsonSettings,
  container: ['mcpServers'],
  managed: entryMembers,
  startsInProject: false,
  file: (_scope, machine) => joinPathFor(machine, machine.home, '.codeium', 'windsurf', 'mcp_config.json'),
  entry: (transport) => plainEntry(transport, 'serverUrl'),
  variable: (name) => `\${env:${name}}`,
};
