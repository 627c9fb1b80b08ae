import { knownClients } from '../../model/known-clients.js';
import type { Client } from './client.js';
import { joinPathFor } from './client-paths.js';
import { entryMembers, plainEntry } from './server-entry.js';
import { jsonSettings } from './syntax/json-settings.js';

/** Its `url` is for the older SSE transport; `httpUrl` is for Streamable HTTP. */
export const geminiCli: Client = {
  name: 'gemini-cli',
  ...knownClients['gemini-cli'],
  scopes: ['user', 'project'],
  syntax: jsonSettings,
  container: ['mcpServers'],
  sseMember: 'url',
  managed: entryMembers,
  startsInProject: true,
  file: (scope, machine) =>
    joinPathFor(machine, scope === 'user' ? machine.home : machine.project, '.gemini', 'settings.json'),
  entry: (transport) => plainEntry(transport, 'httpUrl'),
  variable: (name) => `$${name}`,
};
