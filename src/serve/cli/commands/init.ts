import { basename, join, relative, resolve } from 'node:path';
import { starterOf } from '../../../formats/starters.js';
import { suggest } from '../../../formats/suggest.js';
import { formatNames } from '../../../model/format.js';
import { HostError } from '../../../model/host-error.js';
import { shellWord } from '../../../model/shell-word.js';
import { visibleLine } from '../../print/visible.js';
import type { Command } from '../command.js';
import type { Terminal } from '../terminal.js';

export const init: Command = {
  name: 'init',
  summary: 'Make a working package to start from, with a README and a test call.',
  usage: `init ${formatNames.join('|')} [FOLDER]`,
  examples: [
    { line: 'toolwharf init patch word-tools', text: 'a Python tool in a new folder' },
    { line: 'toolwharf init talos', text: 'a tool folder named after its format' },
    { line: 'toolwharf init nexo my-extension --dry-run', text: 'show what would be written' },
  ],
  options: [{ name: 'dry-run', text: 'show what would be written, and write nothing' }],
  async run(args, terminal) {
    const [name, folder, ...more] = args.positionals;
    const format = formatNames.find((it) => it === name);
    if (format === undefined) throw noFormat(name);
    if (more.length > 0)
      throw new HostError('usage', `one folder is enough; ${JSON.stringify(more[0])} is too much`, {
        hint: 'see "toolwharf init --help"',
      });
    const target = resolve(terminal.cwd, folder ?? `my-${format}`);
    const slug =
      basename(target)
        .toLowerCase()
        .replace(/[^a-z0-9]+/g, '-')
        .replace(/^[^a-z]+|-+$/g, '') || `my-${format}`;
    // A Talos package is named after its folder, whatever the folder is called.
    const packageName = format === 'talos' ? basename(target) : slug;
    const files = starterOf(format, packageName).map((it) => ({ ...it, path: join(target, it.path) }));
    const taken = files.find((it) => terminal.readFile(it.path) !== undefined);
    if (taken !== undefined)
      throw new HostError('usage', `${taken.path} exists already`, { hint: 'name a new folder' });
    if (!args.has('dry-run')) for (const file of files) write(file.path, file.text, terminal);
    if (args.has('json')) {
      terminal.out(
        `${JSON.stringify({ schema: 'toolwharf/init@1', format, folder: target, files: files.map((it) => it.path), written: !args.has('dry-run') })}\n`,
      );
      return 0;
    }
    const shown = (path: string) => visibleLine(relative(terminal.cwd, path) || '.');
    terminal.out(
      `${args.has('dry-run') ? 'would write' : 'wrote'}\n${files.map((it) => `  ${shown(it.path)}\n`).join('')}`,
    );
    if (!args.has('dry-run') && !args.has('quiet')) {
      const place = shellWord(shown(target));
      terminal.err(
        `check it: toolwharf validate ${place}\nsee what it does and takes: toolwharf info ${place}\n`,
      );
    }
    return 0;
  },
};

function noFormat(name: string | undefined): HostError {
  const meant = name === undefined ? undefined : suggest(name, formatNames);
  return new HostError(
    'usage',
    name === undefined ? 'name a format' : `there is no format ${JSON.stringify(name)}`,
    { hint: `${meant === undefined ? '' : `did you mean ${meant}? `}use one of ${formatNames.join(', ')}` },
  );
}

function write(path: string, text: string, terminal: Terminal): void {
  try {
    terminal.writeFile(path, text);
  } catch (error) {
    const { code = 'unknown reason' } = error as NodeJS.ErrnoException;
    throw new HostError('usage', `${path} cannot be written (${code})`, {
      hint: 'name a folder that you may write to',
      cause: error,
    });
  }
}
