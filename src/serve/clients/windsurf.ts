import type { Client } from './client.js';
import { pathOn } from './place.js';
import { plainEntry } from './shape.js';

/** Keeps one file for everything; it has none for a project. */
export const windsurf: Client = {
  name: 'windsurf',
  title: 'Windsurf',
  scopes: ['user'],
  container: 'mcpServers',
  startsInProject: false,
  http: true,
  file: (_scope, machine) => pathOn(machine, machine.home, '.codeium', 'windsurf', 'mcp_config.json'),
  entry: (road) => plainEntry(road, 'serverUrl'),
  variable: (name) => `\${env:${name}}`,
  next: 'refresh the MCP servers in Windsurf',
};
