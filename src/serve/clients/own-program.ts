// Entries that look like ours are told from those that start this installation. A file of a repository can contain both.
import { isAbsolute } from 'node:path';
import type { Client } from './client.js';
import { type ConfiguredServer, configuredServer } from './configured-server.js';
import { scriptPath } from './launch.js';
import { type ClientSettings, entriesOf, isToolwharfEntry } from './settings-edit.js';

/** The programs of this installation. */
export interface OwnProgram {
  /** Absolute path of the interpreter. */
  readonly node: string;
  /** The script that runs now. */
  readonly main: string;
}

/** The arguments that an entry gives to `toolwharf mcp` of this installation; undefined if it starts something else. */
export function ownArgs(server: ConfiguredServer, { node, main }: OwnProgram): readonly string[] | undefined {
  if (server.kind !== 'program') return undefined;
  // A name without a path is looked up in the PATH of the client, which is not ours.
  const isFile = (path: string | undefined, own: string) =>
    path !== undefined && isAbsolute(path) && scriptPath(path) === scriptPath(own);
  const { command, args } = server;
  const argv = isFile(command, main)
    ? args
    : isFile(command, node) && isFile(args[0], main)
      ? args.slice(1)
      : [];
  return argv[0] === 'mcp' ? argv.slice(1) : undefined;
}

/** The servers that the client uses without Toolwharf, and programs that only look like it. */
export function otherServers(settings: ClientSettings, client: Client, own: OwnProgram): readonly string[] {
  return [...entriesOf(settings, client)].flatMap(([name, entry]) => {
    if (!isToolwharfEntry(entry)) return [name];
    const server = configuredServer(entry);
    return server.kind === 'program' && ownArgs(server, own) === undefined ? [name] : [];
  });
}
