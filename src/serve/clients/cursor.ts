import type { Client } from './client.js';
import { pathOn } from './place.js';
import { plainEntry } from './shape.js';

export const cursor: Client = {
  name: 'cursor',
  title: 'Cursor',
  scopes: ['user', 'project'],
  container: 'mcpServers',
  startsInProject: true,
  http: true,
  file: (scope, machine) =>
    pathOn(machine, scope === 'user' ? machine.home : machine.project, '.cursor', 'mcp.json'),
  entry: (road) => plainEntry(road, 'url'),
  variable: (name) => `\${env:${name}}`,
  next: 'switch the server on in the MCP settings of Cursor',
};
