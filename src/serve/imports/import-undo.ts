import { HostError } from '../../model/host-error.js';
import { canonicalJson, type Json } from '../../model/json.js';
import { stateDirectory } from '../cli/command/arguments.js';
import type { Arguments } from '../cli/command/command.js';
import type { Terminal } from '../cli/terminal/terminal.js';
import type { Client } from '../clients/client.js';
import { revokeCredential } from '../clients/credential.js';
import { EntryKey } from '../clients/entry-key.js';
import {
  type ClientSettings,
  entriesOf,
  findEntry,
  removeEntry,
  withEntry,
} from '../clients/settings-edit.js';
import { checkWritable, replaceSettings, type SettingsFile } from '../clients/settings-file.js';
import { errorTable } from '../errors.js';
import { visibleLine } from '../print/visible.js';
import { type ImportBackup, ImportBackups } from './import-backup.js';
import type { ImportedEntry, ImportReport } from './import-report.js';
import type { ImportOutcome } from './import-run.js';
import { existingFile, type ImportTarget } from './import-target.js';

/** Puts the entries of the last import back. The packages stay installed. The backup stays until all are back. */
export async function undoImport(
  target: ImportTarget,
  args: Arguments,
  terminal: Terminal,
): Promise<ImportOutcome> {
  const { client, scope } = target;
  const state = stateDirectory(args, terminal.environment, terminal.cwd);
  const backups = new ImportBackups(state, target.id);
  const last = backups.last();
  if (last === undefined)
    throw new HostError('not_found', `no import of ${target.file} has a backup in ${state}`, {
      hint: 'name the state directory of the import with --state',
    });
  const { backup } = last;
  const file = existingFile(target);
  const settings = { file: file.path, text: file.text };
  const taken = takenNames(settings, backup, client);
  const report = (status: ImportReport['status']): ImportOutcome => ({
    report: {
      ...{ client, scope, file: target.file, status, name: backup.name },
      servers: backup.moved.map(
        (it): ImportedEntry => ({
          ...it,
          ...(taken.includes(it.entry) ? { status: 'failed', reason: takenReason } : { status: 'restored' }),
        }),
      ),
    },
    exit: taken.length > 0 && status !== 'declined' ? errorTable.integrity.exit : 0,
  });
  if (file.text === backup.before) {
    if (!args.has('dry-run')) backups.remove(last.path);
    return report('unchanged');
  }
  const text = restoredText(file, backup, client, args, terminal);
  checkWritable(file);
  if (!args.has('json') && !args.has('quiet')) {
    const names = backup.moved.map((it) => it.entry).filter((it) => !taken.includes(it));
    terminal.out(`${visibleLine(`${target.file} gets back ${names.join(', ') || 'no entry'}`)}\n`);
    for (const it of taken) terminal.err(`${visibleLine(`${it} does not come back: ${takenReason}`)}\n`);
  }
  if (args.has('dry-run')) return report('planned');
  if (!(await confirmed(args, terminal))) return report('declined');
  const key = new EntryKey(state, target.id, backup.name);
  const secret = backup.isEntryNew ? key.of(presentEntry(settings, client, backup.name)) : undefined;
  replaceSettings(file, text, 'private', () => undefined);
  if (taken.length === 0) backups.remove(last.path);
  if (backup.isEntryNew && presentEntry({ ...settings, text }, client, backup.name) === undefined) {
    await revokeCredential({ client, scope, name: backup.name, args, terminal }, secret);
    key.remove();
  }
  return report('restored');
}

const takenReason = 'the file has another entry with this name; rename or remove it, then undo again';

/** Names of moved entries that other entries have now. */
function takenNames(
  settings: ClientSettings,
  { before, after, moved }: ImportBackup,
  client: Client,
): readonly string[] {
  if (settings.text === after) return [];
  const [old, now] = [entriesOf({ ...settings, text: before }, client), entriesOf(settings, client)];
  return moved.flatMap(({ entry }) => {
    const [value, present] = [old.get(entry), now.get(entry)];
    return value === undefined || present === undefined || !differs(value, present) ? [] : [entry];
  });
}

function differs(left: Json, right: Json): boolean {
  return canonicalJson(left) !== canonicalJson(right);
}

/** The text before the import. With --merge: what was changed since stays. */
function restoredText(
  file: SettingsFile,
  backup: ImportBackup,
  client: Client,
  args: Arguments,
  terminal: Terminal,
): string {
  if (file.text === backup.after) return backup.before;
  const settings = { file: file.path, text: file.text };
  if (args.has('merge')) return mergedText(settings, backup, client);
  for (const it of changesSince(settings, backup, client)) terminal.err(`${visibleLine(it)}\n`);
  throw new HostError('integrity', `${file.path} changed since the import; these changes would be lost`, {
    hint: 'add --merge to keep them: it only puts the moved entries back and takes ours out',
  });
}

function mergedText(
  settings: ClientSettings,
  { before, moved, name, isEntryNew }: ImportBackup,
  client: Client,
): string {
  const old = entriesOf({ ...settings, text: before }, client);
  let text = settings.text ?? '';
  for (const { entry } of moved) {
    const value = old.get(entry);
    const at = { ...settings, text };
    if (value !== undefined && !entriesOf(at, client).has(entry))
      text = withEntry(at, { client, name: entry }, value);
  }
  const present = presentEntry({ ...settings, text }, client, name);
  if (!isEntryNew || present === undefined) return text;
  return removeEntry({ ...settings, text }, { client, name }, false).text;
}

/** Which entries somebody changed, without their values. */
function changesSince(settings: ClientSettings, { after }: ImportBackup, client: Client): string[] {
  const [then, now] = [entriesOf({ ...settings, text: after }, client), entriesOf(settings, client)];
  const lines = [
    ...[...now.keys()].filter((it) => !then.has(it)).map((it) => `added since: ${it}`),
    ...[...then.keys()].filter((it) => !now.has(it)).map((it) => `removed since: ${it}`),
    ...[...now].flatMap(([name, value]) => {
      const before = then.get(name);
      return before !== undefined && differs(before, value) ? [`changed since: ${name}`] : [];
    }),
  ];
  return lines.length > 0 ? lines : ['changed since: parts of the file that are not MCP servers'];
}

function presentEntry(settings: ClientSettings, client: Client, name: string) {
  try {
    return findEntry(settings, { client, name });
  } catch {
    return undefined;
  }
}

async function confirmed(args: Arguments, terminal: Terminal): Promise<boolean> {
  if (args.has('yes')) return true;
  if (!terminal.stdinIsTerminal || args.has('no-input') || args.has('json'))
    throw new HostError('usage', 'cannot ask for permission to restore the file: no terminal', {
      hint: 'add --yes to restore it, or --dry-run to only see what would happen',
    });
  return terminal.confirm('Restore it?');
}
