import type { FormatDescriptor } from '../../../formats/format-descriptor.js';
import { HostError } from '../../../model/host-error.js';
import { visibleLine } from '../../print/visible.js';
import type { Arguments, Command } from '../command/command.js';
import type { CommandEntry } from '../command/command-entry.js';
import { complete } from '../completion/complete.js';
import { lookUpNames } from '../completion/name-lookup.js';
import { examineConfig } from '../config/config.js';
import { defaultPaths } from '../config/default-paths.js';
import type { Terminal } from '../terminal/terminal.js';

/** Internal: what may come next on a command line, for the scripts of `completion`. */
export function completeCommand(
  formats: readonly FormatDescriptor[],
  commands: readonly CommandEntry[],
): Command {
  return {
    name: 'complete',
    summary: 'Print what may come next on a command line. The scripts of "completion" use it.',
    usage: 'complete SHELL -- [WORD…]',
    examples: [{ line: 'toolwharf complete bash -- li', text: 'list' }],
    options: [],
    async run(args, terminal) {
      const [shell, ...argv] = args.positionals;
      if (shell === undefined) throw new HostError('usage', 'name a shell');
      const shown = commands.filter((it) => !it.hidden);
      const answer = await complete(shell === 'bash' ? joinedAtEqualsSign(argv) : argv, {
        commands: shown,
        loadCommand: async (name) => shown.find((it) => it.name === name)?.load(async () => formats),
        lookUp: (placeholder, paths) =>
          lookUpNames(placeholder, paths, {
            cwd: terminal.cwd,
            formats,
            defaultPaths: () => configuredPaths(args, terminal),
          }),
      });
      // Bash replaces only the part after the equals sign.
      const bare = (text: string) => (shell === 'bash' ? text.replace(/^--[a-z-]+=/, '') : text);
      const lines = answer.candidates.map(({ text, about = '' }) => `${bare(text)}\t${visibleLine(about)}`);
      terminal.out(`${[answer.paths, ...lines].join('\n')}\n`);
      return 0;
    },
  };
}

/** Bash splits `--name=value` into three words. */
function joinedAtEqualsSign(argv: readonly string[]): string[] {
  const joined: string[] = [];
  for (const [index, word] of argv.entries()) {
    const follows = argv[index - 1] === '=' && /^--[a-z-]+=$/.test(joined.at(-1) ?? '');
    if ((word === '=' && joined.at(-1)?.startsWith('--')) || follows) joined.push(`${joined.pop()}${word}`);
    else joined.push(word);
  }
  return joined;
}

/** Where commands look without a path. An invalid configuration offers nothing. */
async function configuredPaths(args: Arguments, terminal: Terminal): Promise<readonly string[]> {
  const { config } = await examineConfig(args, terminal);
  return config === undefined ? [] : defaultPaths(config.entries, terminal.cwd);
}
