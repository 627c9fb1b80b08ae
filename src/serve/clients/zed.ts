import { knownClients } from '../../model/known-clients.js';
import type { Client } from './client.js';
import { applicationFolder, joinPathFor } from './client-paths.js';
import { entryMembers, plainEntry } from './server-entry.js';
import { jsonSettings } from './syntax/json-settings.js';

/** On macOS, too, its settings are in ~/.config. It replaces no variables in headers. */
export const zed: Client = {
  name: 'zed',
  ...knownClients.zed,
  scopes: ['user', 'project'],
  syntax: jsonSettings,
  container: ['context_servers'],
  managed: entryMembers,
  startsInProject: false,
  file: (scope, machine) => {
    if (scope === 'project') return joinPathFor(machine, machine.project, '.zed', 'settings.json');
    if (machine.platform === 'win32')
      return joinPathFor(machine, applicationFolder(machine), 'Zed', 'settings.json');
    const folder =
      machine.platform === 'darwin'
        ? joinPathFor(machine, machine.home, '.config')
        : applicationFolder(machine);
    return joinPathFor(machine, folder, 'zed', 'settings.json');
  },
  entry: (transport) => plainEntry(transport, 'url'),
  variable: (name) => `\${${name}}`,
};
