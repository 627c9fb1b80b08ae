import { HostError } from '../../../model/host-error.js';
import { printFoundPackages } from '../../print/registry-package.js';
import { visibleLine } from '../../print/visible.js';
import type { Arguments, Command } from '../command/command.js';
import { configuredRegistries } from '../registry/registry-access.js';
import { terminalStyle } from '../terminal/terminal-style.js';

const defaultLimit = 20;
const maxLimit = 200;

export const searchCommand: Command = {
  name: 'search',
  summary: 'Find packages in the registries of your configuration.',
  usage: 'search WORD… [options]',
  examples: [
    {
      line: 'toolwharf search weather',
      text: 'packages with this word in a name, a description, a tag or a tool',
    },
    {
      line: 'toolwharf search csv table',
      text: 'all words must occur; the last one may be the beginning of one',
    },
    { line: 'toolwharf search weather --limit 5 --json', text: 'the five best ones, as JSON for a script' },
  ],
  options: [
    {
      name: 'limit',
      value: 'N',
      text: `at most so many packages (default: ${defaultLimit}, most: ${maxLimit})`,
    },
    { name: 'config', value: 'FILE', text: 'user configuration file to use instead of the default one' },
    { name: 'ca-file', value: 'FILE', text: 'certificates to trust for https, besides the usual ones' },
  ],
  async run(args, terminal) {
    const words = args.positionals.join(' ');
    if (!/[\p{L}\p{N}]/u.test(words))
      throw new HostError('usage', 'name a word to search for', {
        hint: 'such as "toolwharf search weather"',
      });
    const limit = limitOf(args);
    const access = await configuredRegistries(args, terminal);
    const { registries, packages, expired } = await terminal.searchRegistries({ words, limit }, access);
    if (args.has('json')) {
      const found = packages.map((it) => ({ ...it, source: `registry:${it.name}` }));
      terminal.out(
        `${JSON.stringify({ schema: 'toolwharf/search@1', words, registries, packages: found, expired })}\n`,
      );
      return 0;
    }
    for (const it of expired) terminal.err(`warning: an old copy was searched: ${visibleLine(it)}\n`);
    if (packages.length === 0) {
      terminal.out(`no package fits in ${registries.join(', ')}\n`);
      return 0;
    }
    const columns = terminal.stdoutIsTerminal ? terminal.columns : 10_000;
    terminal.out(printFoundPackages(packages, terminalStyle(args, terminal), columns));
    if (!args.has('quiet'))
      terminal.err('next: toolwharf info registry:NAME, or toolwharf plan registry:NAME\n');
    return 0;
  },
};

function limitOf(args: Arguments): number {
  const text = args.value('limit');
  if (text === undefined) return defaultLimit;
  const limit = Number(text);
  if (Number.isInteger(limit) && limit >= 1 && limit <= maxLimit) return limit;
  throw new HostError('usage', `--limit must be a whole number from 1 to ${maxLimit}`);
}
