import type { Client } from './client.js';
import { pathOn } from './place.js';
import { typedEntry } from './shape.js';

/** The project comes first: the user's file is also where it keeps its state, and it rewrites that while it runs. */
export const claudeCode: Client = {
  name: 'claude-code',
  title: 'Claude Code',
  scopes: ['project', 'user'],
  container: 'mcpServers',
  startsInProject: true,
  http: true,
  file: (scope, machine) =>
    scope === 'user'
      ? pathOn(machine, machine.home, '.claude.json')
      : pathOn(machine, machine.project, '.mcp.json'),
  entry: typedEntry,
  variable: (name) => `\${${name}}`,
  next: 'start Claude Code in this project; "/mcp" shows the server',
};
