import { HostError } from '../../model/host-error.js';
import type { Arguments } from '../cli/command/command.js';
import type { Terminal } from '../cli/terminal/terminal.js';
import { terminalStyle } from '../cli/terminal/terminal-style.js';
import { visibleLine } from '../print/visible.js';
import { printDiff } from './settings-diff.js';
import { checkWritable, type SettingsFile } from './settings-file.js';

export interface FileChange {
  /** The name of the client. */
  readonly title: string;
  readonly file: SettingsFile;
  readonly text: string;
}

/** Shows the change of a client's file and asks. False if nothing is to be written. */
export async function confirmFileChange(
  { title, file, text }: FileChange,
  args: Arguments,
  terminal: Terminal,
): Promise<boolean> {
  checkWritable(file);
  if (!args.has('json') && !args.has('quiet')) {
    const link = file.real === file.path ? '' : ` (a link to ${file.real})`;
    const isNew = file.text === undefined ? ' (new file)' : '';
    terminal.out(`${visibleLine(`${title} configuration: ${file.path}${link}${isNew}`)}\n`);
    if (text === file.text) terminal.out('the entry stays the same; its key is replaced\n');
    else terminal.out(printDiff(file.text ?? '', text, terminalStyle(args, terminal)));
  }
  if (args.has('dry-run')) return false;
  if (args.has('yes')) return true;
  if (!terminal.stdinIsTerminal || args.has('no-input') || args.has('json'))
    throw new HostError('usage', `cannot ask for permission to change ${file.path}: no terminal`, {
      hint: 'add --yes to write the change, or --dry-run to only see it',
    });
  return terminal.confirm(text === file.text ? 'Replace the key?' : 'Write this change?');
}
