import { basename, join, relative, resolve } from 'node:path';
import type { FormatDescriptor } from '../../../formats/format-descriptor.js';
import { suggest } from '../../../formats/suggest.js';
import { HostError } from '../../../model/host-error.js';
import { shellQuote } from '../../../model/shell-quote.js';
import { visibleLine } from '../../print/visible.js';
import type { Command } from '../command/command.js';
import type { Terminal } from '../terminal/terminal.js';

export function initCommand(formats: readonly FormatDescriptor[]): Command {
  return {
    name: 'init',
    summary: 'Create a working package to start from, with a README and a test call.',
    usage: `init ${formats.map((it) => it.name).join('|')} [FOLDER]`,
    examples: [
      { line: 'toolwharf init patch word-tools', text: 'create a Python tool in a new folder' },
      { line: 'toolwharf init talos', text: 'create the folder my-talos' },
      { line: 'toolwharf init nexo my-extension --dry-run', text: 'only show what would be written' },
    ],
    options: [{ name: 'dry-run', text: 'show what would be written, without writing it' }],
    async run(args, terminal) {
      const [name, folder, ...more] = args.positionals;
      const format = formats.find((it) => it.name === name);
      if (format === undefined) throw noFormat(name, formats);
      if (more.length > 0)
        throw new HostError(
          'usage',
          `unexpected argument ${JSON.stringify(more[0])}: init takes one folder`,
          {
            hint: 'see "toolwharf init --help"',
          },
        );
      const target = resolve(terminal.cwd, folder ?? `my-${format.name}`);
      const slug =
        basename(target)
          .toLowerCase()
          .replace(/[^a-z0-9]+/g, '-')
          .replace(/^[^a-z]+|-+$/g, '') || `my-${format.name}`;
      const starter = await format.loadStarter();
      const machine = { python: await terminal.findPython() };
      const files = starter(slug, basename(target), machine).map((it) => ({
        ...it,
        path: join(target, it.path),
      }));
      const existing = files.find((it) => terminal.readFile(it.path) !== undefined);
      if (existing !== undefined)
        throw new HostError('usage', `${existing.path} already exists`, { hint: 'name a new folder' });
      if (!args.has('dry-run')) for (const file of files) write(file.path, file.text, terminal);
      if (args.has('json')) {
        terminal.out(
          `${JSON.stringify({ schema: 'toolwharf/init@1', format: format.name, folder: target, files: files.map((it) => it.path), written: !args.has('dry-run') })}\n`,
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
}

function noFormat(name: string | undefined, formats: readonly FormatDescriptor[]): HostError {
  const names = formats.map((it) => it.name);
  const meant = name === undefined ? undefined : suggest(name, names);
  return new HostError(
    'usage',
    name === undefined ? 'name a format' : `unknown format ${JSON.stringify(name)}`,
    { hint: `${meant === undefined ? '' : `did you mean ${meant}? `}use one of ${names.join(', ')}` },
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
