import { knownClients } from '../../model/known-clients.js';
import type { Client } from './client.js';
import { joinPathFor } from './client-paths.js';
import { entryMembers, plainEntry } from './server-entry.js';
import { jsonSettings } from './syntax/json-settings.js';

export const cursor: Client = {
  name: 'cursor',
  ...knownClients.cursor,
  scopes: ['user', 'project'],
  syntax: jsonSettings,
  container: ['mcpServers'],
  managed: entryMembers,
  startsInProject: true,
  file: (scope, machine) =>
    joinPathFor(machine, scope === 'user' ? machine.home : machine.project, '.cursor', 'mcp.json'),
  entry: (transport) => plainEntry(transport, 'url'),
  variable: (name) => `\${env:${name}}`,
};
