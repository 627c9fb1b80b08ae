import { knownClients } from '../../model/known-clients.js';
import type { Client } from './client.js';
import { joinPathFor } from './client-paths.js';
import { tomlSettings } from './syntax/toml-settings.js';

/** Reads a project's file only if the project is trusted. Its `headers` would have no effect. */
export const codex: Client = {
  name: 'codex',
  ...knownClients.codex,
  scopes: ['user', 'project'],
  syntax: tomlSettings,
  container: ['mcp_servers'],
  managed: ['command', 'args', 'url', 'http_headers', 'bearer_token_env_var'],
  startsInProject: true,
  file: (scope, machine) => {
    const { home, project, environment } = machine;
    if (scope === 'project') return joinPathFor(machine, project, '.codex', 'config.toml');
    const folder = environment.CODEX_HOME || joinPathFor(machine, home, '.codex');
    return joinPathFor(machine, folder, 'config.toml');
  },
  entry: (transport) => {
    if (transport.kind === 'stdio') return { command: transport.command, args: transport.args };
    const variable = /^Bearer \$\{(\w+)\}$/.exec(transport.authorization)?.[1];
    return variable === undefined
      ? { url: transport.url, http_headers: { Authorization: transport.authorization } }
      : { url: transport.url, bearer_token_env_var: variable };
  },
  variable: (name) => `\${${name}}`,
};
