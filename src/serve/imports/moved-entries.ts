// The change of a client's file: entries that moved are removed, and one entry of ours is there instead.
import { join } from 'node:path';
import type { Operator, RemoteHost } from '../../host/host.js';
import { canonicalJson, type JsonObject } from '../../model/json.js';
import { stateDirectory } from '../cli/command/arguments.js';
import type { Arguments } from '../cli/command/command.js';
import { sessionArgs } from '../cli/config/session-options.js';
import type { Terminal } from '../cli/terminal/terminal.js';
import type { Client } from '../clients/client.js';
import { mayApproveOption } from '../clients/client-approval.js';
import type { ConnectMachine } from '../clients/connection.js';
import { issueCredentialAt } from '../clients/credential.js';
import { EntryKey } from '../clients/entry-key.js';
import { mcpCommand } from '../clients/launch.js';
import { addEntry, type ClientSettings, entriesOf, removeEntry } from '../clients/settings-edit.js';
import { readSettingsFile, replaceSettings, type SettingsFile } from '../clients/settings-file.js';
import { ImportBackups } from './import-backup.js';
import type { ImportTarget } from './import-target.js';
import { type OwnHost, ownEntry } from './own-entry.js';

/** An entry whose server is installed now. */
export interface MovedEntry {
  readonly entry: string;
  readonly package: string;
}

export interface MoveRequest {
  readonly target: ImportTarget;
  /** The file as it was when its servers were read. */
  readonly file: SettingsFile;
  readonly own: OwnHost;
  /** Name of our entry, if the file has none yet. It gets a number if another entry has it. */
  readonly name: string;
  readonly moved: readonly MovedEntry[];
  readonly machine: ConnectMachine;
  readonly args: Arguments;
  readonly terminal: Terminal;
}

export interface MoveOutcome {
  readonly moved: readonly MovedEntry[];
  /** Entries that somebody changed in the meantime; they stay. */
  readonly changed: readonly string[];
  /** Name of our entry. */
  readonly name: string;
  readonly isEntryNew: boolean;
  /** Path of the backup for `--undo`. */
  readonly backup?: string;
}

/** The text after the change. A pure function of the text. */
export function movedText(
  settings: ClientSettings,
  client: Client,
  moved: readonly string[],
  added: { readonly name: string; readonly entry: JsonObject } | undefined,
): string {
  // Ours comes first: some clients have two places for servers, and use the one that is not empty.
  let text = settings.text ?? '';
  if (added !== undefined) text = addEntry(settings, { client, name: added.name }, added.entry, false).text;
  for (const name of moved) text = removeEntry({ ...settings, text }, { client, name }, true).text;
  return text;
}

/** Changes the file. What others changed in it since it was read stays. */
export async function moveEntries(
  request: MoveRequest,
  host: RemoteHost,
  by: Operator,
): Promise<MoveOutcome> {
  const { target, args, terminal } = request;
  const { client, scope } = target;
  const file = readSettingsFile(target.file);
  const settings = { file: file.path, text: file.text };
  const [then, now] = [
    entriesOf({ ...settings, text: request.file.text }, client),
    entriesOf(settings, client),
  ];
  const isSame = ({ entry }: MovedEntry) => {
    const [before, present] = [then.get(entry), now.get(entry)];
    return before !== undefined && present !== undefined && canonicalJson(before) === canonicalJson(present);
  };
  // Only the names: what a server was given is in no backup.
  const moved = request.moved.filter(isSame).map((it) => ({ entry: it.entry, package: it.package }));
  const changed = request.moved.filter((it) => !isSame(it)).map((it) => it.entry);
  const own = ownEntry(settings, client, request.own);
  const name = own ?? freeName(request.name, now);
  if (moved.length === 0) return { moved, changed, name, isEntryNew: false };
  const state = stateDirectory(args, terminal.environment, terminal.cwd);
  const key = new EntryKey(state, target.id, name);
  const added = own === undefined ? { name, entry: entryOf(request, name, key) } : undefined;
  const text = movedText(
    settings,
    client,
    moved.map((it) => it.entry),
    added,
  );
  const backups = new ImportBackups(state, target.id);
  const write = (): string => {
    let backup = '';
    replaceSettings(file, text, scope === 'project' ? 'shared' : 'private', () => {
      const about = { file: target.file, before: file.text ?? '', after: text, moved, name };
      backup = backups.add({ ...about, isEntryNew: added !== undefined });
      return () => backups.remove(backup);
    });
    return backup;
  };
  if (added === undefined) return { moved, changed, name, isEntryNew: false, backup: write() };
  const { written } = await issueCredentialAt(
    ...([host, by, { client, scope, name, args, terminal }] as const),
    { kind: 'stdio', mayApprove: mayApproveOption(args) ?? false, known: null },
    async (secret) => key.writeAnd(secret, write),
  );
  return { moved, changed, name, isEntryNew: true, backup: written };
}

function freeName(wanted: string, taken: ReadonlyMap<string, unknown>): string {
  let free = wanted;
  for (let number = 2; taken.has(free); number++) free = `${wanted}-${number}`;
  return free;
}

/** Starts Toolwharf with the installed packages, from no folder. */
function entryOf({ target, machine, args, terminal }: MoveRequest, name: string, key: EntryKey): JsonObject {
  const { client, home } = target;
  const { cwd, main, environment } = terminal;
  const state = args.value('state') ?? (environment.TOOLWHARF_HOME || undefined);
  const stored: Arguments = {
    positionals: args.positionals,
    has: (it) => it !== 'unsafe-no-sandbox' && args.has(it),
    value: (it) => args.value(it),
    // What was allowed is in the agreement of each package.
    values: (it) => (it === 'allow' ? [] : args.values(it)),
  };
  const command = mcpCommand({
    ...{ node: machine.node, main, cwd, home, paths: [] },
    root: args.value('root') ?? (client.startsInProject ? undefined : cwd),
    more: [
      '--installed',
      ...sessionArgs(stored),
      ...(state === undefined ? [] : ['--state', join(state)]),
      ...key.args,
    ],
  });
  return client.entry({ kind: 'stdio', ...command }, name);
}
