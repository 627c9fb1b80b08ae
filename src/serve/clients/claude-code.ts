import { knownClients } from '../../model/known-clients.js';
import type { Client } from './client.js';
import { joinPathFor } from './client-paths.js';
import { entryMembers, typedEntry } from './server-entry.js';
import { jsonSettings } from './syntax/json-settings.js';

/** The project scope is the default, because Claude Code rewrites the user's file while it runs. */
export const claudeCode: Client = {
  name: 'claude-code',
  ...knownClients['claude-code'],
  scopes: ['project', 'local', 'user'],
  syntax: jsonSettings,
  container: ['mcpServers'],
  // What "claude mcp add" writes by default.
  containerIn: (scope, { project }) => (scope === 'local' ? ['projects', project, 'mcpServers'] : undefined),
  managed: entryMembers,
  startsInProject: true,
  file: (scope, machine) =>
    scope === 'project'
      ? joinPathFor(machine, machine.project, '.mcp.json')
      : joinPathFor(machine, machine.home, '.claude.json'),
  entry: typedEntry,
  variable: (name) => `\${${name}}`,
};
