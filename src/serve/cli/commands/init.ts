import { basename, join, relative, resolve } from 'node:path';
import { starterFiles } from '../../../formats/starters.js';
import { suggest } from '../../../formats/suggest.js';
import { formatNames } from '../../../model/format.js';
import { HostError } from '../../../model/host-error.js';
import { shellQuote } from '../../../model/shell-quote.js';
import { visibleLine } from '../../print/visible.js';
import type { Command } from '../command.js';
import type { Terminal } from '../terminal.js';

export const init: Command = {
  name: 'init',
  summary: 'Create a working package to start from, with a README and a test call.',
  usage: `init ${formatNames.join('|')} [FOLDER]`,
  examples: [
    { line: 'toolwharf init patch word-tools', text: 'create a Python tool in a new folder' },
    { line: 'toolwharf init talos', text: 'create the folder my-talos' },
    { line: 'toolwharf init nexo my-extension --dry-run', text: 'only show what would be written' },
  ],
  options: [{ name: 'dry-run', text: 'show what would be written, without writing it' }],
  async run(args, terminal) {
    const [name, folder, ...more] = args.positionals;
    const format = formatNames.find((it) => it === name);
    if (format === undefined) throw noFormat(name);
    if (more.length > 0)
      throw new HostError('usage', `unexpected argument ${JSON.stringify(more[0])}: init takes one folder`, {
        hint: 'see "toolwharf init --help"',
      });
    const target = resolve(terminal.cwd, folder ?? `my-${format}`);
    const slug =
      basename(target)
        .toLowerCase()
        .replace(/[^a-z0-9]+/g, '-')
        .replace(/^[^a-z]+|-+$/g, '') || `my-${format}`;
    // A Talos package must have exactly the name of its folder.
    const packageName = format === 'talos' ? basename(target) : slug;
    const files = starterFiles(format, packageName).map((it) => ({ ...it, path: join(target, it.path) }));
    const existing = files.find((it) => terminal.readFile(it.path) !== undefined);
    if (existing !== undefined)
      throw new HostError('usage', `${existing.path} already exists`, { hint: 'name a new folder' });
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
      const place = shellQuote(shown(target));
      terminal.err(
        `check it: toolwharf validate ${place}\nsee its tools and arguments: toolwharf info ${place}\n`,
      );
    }
    return 0;
  },
};

function noFormat(name: string | undefined): HostError {
  const meant = name === undefined ? undefined : suggest(name, formatNames);
  return new HostError(
    'usage',
    name === undefined ? 'name a format' : `unknown format ${JSON.stringify(name)}`,
    { hint: `${meant === undefined ? '' : `did you mean ${meant}? `}use one of ${formatNames.join(', ')}` },
  );
}

function write(path: string, text: string, terminal: Terminal): void {
  try {
    terminal.writeFile(path, text);
  } catch (error) {
    const { code = 'unknown reason' } = error as NodeJS.ErrnoException;
    throw new HostError('usage', `${path} cannot be written (${code})`, {
      hint: 'name a folder that you can write to',
      cause: error,
    });
  }
}
