import { HostError } from '../../../model/host-error.js';
import { checkWritable, readSettingsFile, replaceSettings } from '../../clients/settings-file.js';
import { settingOriginText } from '../../print/config.js';
import { visibleLine } from '../../print/visible.js';
import { inactiveNotes } from '../../print/waivers.js';
import { stateDirectory } from '../command/arguments.js';
import type { Arguments } from '../command/command.js';
import { examineConfig } from '../config/config.js';
import {
  type ConfigChange,
  changeConfig,
  changeLines,
  configKeyNamed,
  valueFromArguments,
} from '../config/config-change.js';
import { configFileFor } from '../config/config-paths.js';
import { isDryRun } from '../dry-run.js';
import type { Terminal } from '../terminal/terminal.js';
import { settingsOnly } from '../waivers.js';
import { withHost } from '../with-host.js';

/** `config set KEY VALUE…` and `config unset KEY`: changes one setting in one file. */
export async function setConfig(
  verb: 'set' | 'unset',
  [name, ...values]: readonly string[],
  args: Arguments,
  terminal: Terminal,
): Promise<number> {
  if (name === undefined)
    throw new HostError('usage', `name the setting: toolwharf config ${verb} KEY`, {
      hint: '"toolwharf config list" shows all settings',
    });
  if (verb === 'unset' && values.length > 0)
    throw new HostError('usage', 'config unset takes one setting and no value');
  const key = configKeyNamed(name);
  const kind = args.has('project') ? 'project' : 'user';
  if (kind === 'project' && args.has('config'))
    throw new HostError('usage', 'use --project or --config, not both');
  const { path, home } = configFileFor(kind, args, terminal);
  const file = readSettingsFile(path);
  const target = { kind, path, home, text: file.text ?? '' } as const;
  const after = verb === 'unset' ? undefined : valueFromArguments(key, values, target, terminal.cwd);
  const change = await changeConfig(key, after, target);
  if (verb === 'unset' && change.before === undefined)
    throw new HostError('not_found', `${path} does not set ${name}`, {
      hint: '"toolwharf config list --show-origin" shows where settings come from',
    });
  const changed = change.text !== target.text;
  const written = changed && !isDryRun(args);
  if (written) {
    checkWritable(file);
    replaceSettings(file, change.text, kind === 'user' ? 'private' : 'shared', () => undefined);
  }
  print(change, { path, changed, written }, args, terminal);
  if (written && !args.has('quiet')) await printEffect(change, path, args, terminal);
  return 0;
}

function print(
  change: ConfigChange,
  { path, changed, written }: { path: string; changed: boolean; written: boolean },
  args: Arguments,
  terminal: Terminal,
): void {
  const { key, before = null, after = null } = change;
  if (args.has('json')) {
    const document = {
      schema: 'toolwharf/config-change@1',
      file: path,
      key,
      before,
      after,
      changed,
      written,
    };
    terminal.out(`${JSON.stringify(document)}\n`);
    return;
  }
  if (args.has('quiet')) return;
  const place = visibleLine(path);
  if (!changed) terminal.out(`nothing to do: ${place} has this value already\n`);
  else {
    terminal.out(`${written ? 'changed' : 'would change'} ${place}\n`);
    for (const line of changeLines(change)) terminal.out(`  ${visibleLine(line)}\n`);
  }
  for (const it of change.remaining)
    terminal.err(`warning: ${visibleLine(`${it.file}:${it.range.line} ${it.message}`)}\n`);
}

/** Says so if the new value has no effect: something else sets it, or the operator has to accept it first. */
async function printEffect(
  { key, after }: ConfigChange,
  path: string,
  args: Arguments,
  terminal: Terminal,
): Promise<void> {
  const { config } = await examineConfig(args, terminal);
  if (config === undefined) return;
  const origins = config.entries.find((it) => it.key === key)?.origins ?? [];
  const [other] = origins;
  if (after !== undefined && other !== undefined && !origins.some((it) => 'file' in it && it.file === path))
    terminal.err(`note: it has no effect here: ${visibleLine(settingOriginText(other))} decides\n`);
  // Without a state directory there is no PIN, so every setting is in force.
  if (!terminal.isFolder(stateDirectory(args, terminal.environment, terminal.cwd))) return;
  const waivers = await withHost(args, terminal, async (host) =>
    (await host.session(await settingsOnly(args, terminal))).waivers(),
  );
  for (const note of inactiveNotes(waivers)) terminal.err(`${visibleLine(note)}\n`);
}
