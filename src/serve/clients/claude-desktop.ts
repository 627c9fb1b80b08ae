import { knownClients } from '../../model/known-clients.js';
import type { Client } from './client.js';
import { applicationFolder, joinPathFor } from './client-paths.js';
import { entryMembers, plainEntry } from './server-entry.js';
import { jsonSettings } from './syntax/json-settings.js';

/** Its file supports only programs. Servers by URL are added in its settings and called from Anthropic's machines. */
export const claudeDesktop: Client = {
  name: 'claude-desktop',
  ...knownClients['claude-desktop'],
  scopes: ['user'],
  syntax: jsonSettings,
  container: ['mcpServers'],
  managed: entryMembers,
  startsInProject: false,
  file: (_scope, machine) =>
    joinPathFor(machine, applicationFolder(machine), 'Claude', 'claude_desktop_config.json'),
  entry: (transport) => plainEntry(transport, 'url'),
  variable: (name) => `\${${name}}`,
};
