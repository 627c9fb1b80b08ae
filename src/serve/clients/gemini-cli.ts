import type { Client } from './client.js';
import { pathOn } from './place.js';
import { plainEntry } from './shape.js';

/** Its `url` is for the older event streams; `httpUrl` is for servers of today. */
export const geminiCli: Client = {
  name: 'gemini-cli',
  title: 'Gemini CLI',
  scopes: ['user', 'project'],
  container: 'mcpServers',
  startsInProject: true,
  http: true,
  file: (scope, machine) =>
    pathOn(machine, scope === 'user' ? machine.home : machine.project, '.gemini', 'settings.json'),
  entry: (road) => plainEntry(road, 'httpUrl'),
  variable: (name) => `$${name}`,
  next: 'start Gemini CLI again; "/mcp" shows the server',
};
