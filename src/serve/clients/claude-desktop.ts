import type { Client } from './client.js';
import { applicationFolder, pathOn } from './place.js';
import { plainEntry } from './shape.js';

/** Starts programs only: servers it reaches by URL are added in its settings and come from the maker's machines. */
export const claudeDesktop: Client = {
  name: 'claude-desktop',
  title: 'Claude Desktop',
  scopes: ['user'],
  container: 'mcpServers',
  startsInProject: false,
  http: false,
  file: (_scope, machine) =>
    pathOn(machine, applicationFolder(machine), 'Claude', 'claude_desktop_config.json'),
  entry: (road) => plainEntry(road, 'url'),
  variable: (name) => `\${${name}}`,
  next: 'quit Claude Desktop and start it again',
};
