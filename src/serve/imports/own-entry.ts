import { HostError } from '../../model/host-error.js';
import type { Json } from '../../model/json.js';
import { parseArguments, stateDirectory } from '../cli/command/arguments.js';
import type { Arguments } from '../cli/command/command.js';
import { mcp } from '../cli/commands/mcp.js';
import type { Terminal } from '../cli/terminal/terminal.js';
import type { Client } from '../clients/client.js';
import { configuredServer } from '../clients/configured-server.js';
import type { ConnectMachine } from '../clients/connection.js';
import { type OwnProgram, ownArgs } from '../clients/own-program.js';
import { type ClientSettings, entriesOf, isToolwharfEntry, repeatedNames } from '../clients/settings-edit.js';

/** The host that an import moves servers to. */
export interface OwnHost extends OwnProgram {
  /** Absolute path of its state directory. */
  readonly state: string;
  readonly environment: Terminal['environment'];
}

export function ownHost({ node }: ConnectMachine, args: Arguments, terminal: Terminal): OwnHost {
  const { main, environment, cwd } = terminal;
  return { node, main, environment, state: stateDirectory(args, environment, cwd) };
}

/** Our entry in a file, whatever its name; undefined if there is none. */
export function ownEntry(settings: ClientSettings, client: Client, own: OwnHost): string | undefined {
  const repeated = repeatedNames(settings, client);
  for (const [name, value] of entriesOf(settings, client))
    if (isToolwharfEntry(value) && !repeated.includes(name) && notOursReason(value, own) === undefined)
      return name;
  return undefined;
}

/** Why an entry that looks like ours does not serve what is installed here; undefined if it does. */
export function notOursReason(entry: Json, own: OwnHost): string | undefined {
  const server = configuredServer(entry);
  if (server.kind !== 'program') return 'it uses a Toolwharf host at a URL, which has its own packages';
  if (server.isDisabled) return 'it is turned off in the client';
  const commandLine = ownArgs(server, own);
  if (commandLine === undefined) return 'it looks like Toolwharf, but does not start this installation';
  // Variables such as NODE_OPTIONS make it run other code.
  const variables = Object.keys(server.env);
  if (variables.length > 0) return `it starts Toolwharf with other variables (${variables.join(', ')})`;
  const args = parsedArgs(commandLine);
  if (args === undefined) return 'it starts Toolwharf with options that "toolwharf mcp" does not have';
  if (args.has('connect')) return 'it uses a Toolwharf host at a URL, which has its own packages';
  // The client has an environment of its own, and starts programs in any folder.
  const environment = { ...own.environment, TOOLWHARF_HOME: undefined };
  if (stateDirectory(args, environment, '/') !== own.state)
    return 'it uses another state directory, which has its own packages';
  if (args.has('set')) return 'it shows only the tools of one set';
  return args.has('unsafe-no-sandbox') ? 'it runs tools without a sandbox' : undefined;
}

function parsedArgs(commandLine: readonly string[]): Arguments | undefined {
  try {
    return parseArguments(mcp, commandLine);
  } catch (error) {
    if (error instanceof HostError) return undefined;
    throw error;
  }
}
