import { knownClients } from '../../model/known-clients.js';
import type { Client } from './client.js';
import { applicationFolder, joinPathFor } from './client-paths.js';
import { entryMembers, plainEntry } from './server-entry.js';
import { jsonSettings } from './syntax/json-settings.js';

/** The extension in VS Code. Its command line has another file, which CLINE_MCP_SETTINGS_PATH names. */
export const cline: Client = {
  name: 'cline',
  ...knownClients.cline,
  scopes: ['user'],
  syntax: jsonSettings,
  container: ['mcpServers'],
  managed: entryMembers,
  startsInProject: false,
  file: (_scope, machine) =>
    machine.environment.CLINE_MCP_SETTINGS_PATH ||
    joinPathFor(
      machine,
      applicationFolder(machine),
      ...['Code', 'User', 'globalStorage', 'saoudrizwan.claude-dev', 'settings', 'cline_mcp_settings.json'],
    ),
  entry: (transport) =>
    transport.kind === 'stdio'
      ? plainEntry(transport, 'url')
      : { type: 'streamableHttp', ...plainEntry(transport, 'url') },
  variable: (name) => `\${env:${name}}`,
};
