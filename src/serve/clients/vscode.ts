import { knownClients } from '../../model/known-clients.js';
import type { Client } from './client.js';
import { applicationFolder, joinPathFor } from './client-paths.js';
import { entryMembers, typedEntry } from './server-entry.js';
import { jsonSettings } from './syntax/json-settings.js';

export const vscode: Client = {
  name: 'vscode',
  ...knownClients.vscode,
  scopes: ['project', 'user'],
  syntax: jsonSettings,
  container: ['servers'],
  managed: entryMembers,
  startsInProject: true,
  file: (scope, machine) =>
    scope === 'user'
      ? joinPathFor(machine, applicationFolder(machine), 'Code', 'User', 'mcp.json')
      : joinPathFor(machine, machine.project, '.vscode', 'mcp.json'),
  entry: typedEntry,
  variable: (name) => `\${env:${name}}`,
};
