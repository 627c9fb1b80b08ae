import { basename, extname, resolve } from 'node:path';
import { suggest } from '../../formats/suggest.js';
import { HostError } from '../../model/host-error.js';
import { isObject, type Json } from '../../model/json.js';
import { stateDirectory } from '../cli/command/arguments.js';
import type { Arguments } from '../cli/command/command.js';
import type { Terminal } from '../cli/terminal/terminal.js';
import { type Client, clientNames } from '../clients/client.js';
import { type ClientPlace, clientPlace } from '../clients/client-place.js';
import { clientScope } from '../clients/client-scope.js';
import { clients } from '../clients/clients.js';
import type { ConnectMachine } from '../clients/connection.js';
import { homeDirectory } from '../clients/launch.js';
import { type OwnProgram, otherServers } from '../clients/own-program.js';
import { readSettingsFile, type SettingsFile } from '../clients/settings-file.js';
import { jsonSettings } from '../clients/syntax/json-settings.js';
import { SettingsProblem, type SettingsSyntax } from '../clients/syntax/settings-syntax.js';
import { tomlSettings } from '../clients/syntax/toml-settings.js';
import { yamlSettings } from '../clients/syntax/yaml-settings.js';
import { ImportBackups } from './import-backup.js';

/** A file with servers, and the client that it belongs to. */
export interface ImportTarget extends ClientPlace {
  readonly home: string;
  /** The same client in its other scopes. */
  readonly others: readonly ClientPlace[];
}

/** The file that a command line names: by a client, or by a path. */
export function importTarget(args: Arguments, terminal: Terminal, machine: ConnectMachine): ImportTarget {
  const [name, ...more] = args.positionals;
  if (name === undefined || more.length > 0)
    throw new HostError('usage', 'name one client or file', {
      hint: `use one of ${clientNames.join(', ')}, or the path of a file`,
    });
  const { environment, cwd } = terminal;
  const home = homeDirectory(environment, machine.home);
  const place = { platform: machine.platform, home, project: cwd, environment };
  const known = clientNames.find((it) => it === name);
  if (known !== undefined) {
    const client = clients[known];
    const places = client.scopes.map((it) => clientPlace(client, it, place));
    const chosen = chosenPlace(client, places, args, terminal, machine);
    return { ...chosen, home, others: places.filter((it) => it.scope !== chosen.scope) };
  }
  const file = resolve(cwd, name);
  if (readSettingsFile(file).text === undefined) {
    const meant = /[./\\]/.test(name) ? undefined : suggest(name, clientNames);
    throw new HostError('not_found', `${JSON.stringify(name)} is not a client, and there is no such file`, {
      hint: meant === undefined ? `use one of ${clientNames.join(', ')}` : `did you mean ${meant}?`,
    });
  }
  if (args.has('scope')) throw new HostError('usage', '--scope is for clients; a file has no scope');
  for (const client of Object.values(clients))
    for (const scope of client.scopes)
      if (client.file(scope, place) === file)
        return { ...clientPlace(client, scope, place), home, others: [] };
  return { client: clientOfFile(file), scope: 'user', home, file, id: file, others: [] };
}

/** The place that `--scope` names. Without it, the first one that has something to import, or to undo. */
function chosenPlace(
  client: Client,
  places: readonly ClientPlace[],
  args: Arguments,
  { environment, cwd, main }: Terminal,
  { node }: ConnectMachine,
): ClientPlace {
  const scope = clientScope(client, args.value('scope'));
  const byScope = places.find((it) => it.scope === scope) as ClientPlace;
  if (args.has('scope')) return byScope;
  const state = stateDirectory(args, environment, cwd);
  const isWanted = args.has('undo')
    ? ({ id }: ClientPlace) => new ImportBackups(state, id).last() !== undefined
    : (it: ClientPlace) => hasServers(it, { node, main });
  return places.find(isWanted) ?? byScope;
}

function hasServers({ client, file }: ClientPlace, own: OwnProgram): boolean {
  try {
    return otherServers({ file, text: readSettingsFile(file).text }, client, own).length > 0;
  } catch (error) {
    // A file with an error is not passed over: the person must learn of it.
    if (error instanceof HostError) return true;
    throw error;
  }
}

/** The file of a target. Fails if there is none. */
export function existingFile({ client, file }: ImportTarget): SettingsFile {
  const found = readSettingsFile(file);
  if (found.text !== undefined) return found;
  throw new HostError('not_found', `${client.title} has no configuration at ${file}`, {
    hint: `to add Toolwharf to it: toolwharf connect ${client.name}`,
  });
}

/** Which client has its servers at this place. Files of other programs have the same shapes. */
const shapes: readonly {
  readonly syntax: SettingsSyntax;
  readonly path: readonly string[];
  readonly like: Client;
}[] = [
  { syntax: jsonSettings, path: ['mcpServers'], like: clients.cursor },
  { syntax: jsonSettings, path: ['servers'], like: clients.vscode },
  { syntax: jsonSettings, path: ['mcp', 'servers'], like: clients.vscode },
  { syntax: jsonSettings, path: ['context_servers'], like: clients.zed },
  { syntax: jsonSettings, path: ['mcp'], like: clients.opencode },
  { syntax: tomlSettings, path: ['mcp_servers'], like: clients.codex },
  { syntax: tomlSettings, path: ['mcpServers'], like: clients.codex },
  { syntax: yamlSettings, path: ['mcpServers'], like: clients.continue },
  { syntax: yamlSettings, path: ['extensions'], like: clients.goose },
];

function clientOfFile(file: string): Client {
  const text = (readSettingsFile(file).text ?? '').replace(/^\uFEFF/, '');
  const ending = extname(file).toLowerCase();
  const syntax = ending === '.toml' ? tomlSettings : /^\.ya?ml$/.test(ending) ? yamlSettings : jsonSettings;
  let root: Json | undefined;
  try {
    root = syntax.find(text, []);
  } catch (error) {
    if (!(error instanceof SettingsProblem)) throw error;
    const where = `${file}, line ${error.line}, column ${error.column}`;
    throw new HostError('invalid_config', `${where}: ${error.message}`, { hint: 'fix the file first' });
  }
  for (const { syntax: own, path, like } of shapes) {
    const value = own === syntax ? at(root, path) : undefined;
    if (!isObject(value) && !Array.isArray(value)) continue;
    const { earlierContainer: _earlier, ...shape } = like;
    return {
      ...shape,
      ...{ name: 'file', title: basename(file), container: path, isList: Array.isArray(value) },
      ...{ startsInProject: false, file: () => file, next: 'restart the program that reads the file' },
    };
  }
  throw new HostError('invalid_config', `${file} has no list of MCP servers`, {
    hint: 'it needs "mcpServers", "servers", "context_servers", "mcp_servers", "mcp" or "extensions"',
  });
}

function at(root: Json | undefined, path: readonly string[]): Json | undefined {
  let value = root;
  for (const step of path) value = isObject(value) ? value[step] : undefined;
  return value;
}
