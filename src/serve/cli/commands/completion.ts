import { suggest } from '../../../formats/suggest.js';
import { HostError } from '../../../model/host-error.js';
import type { Command } from '../command/command.js';
import { completionScripts, completionSetup, shells } from '../completion/scripts.js';

export const completion: Command = {
  name: 'completion',
  summary: 'Print the script that completes commands, options, packages and tools in your shell.',
  usage: `completion ${shells.join('|')}`,
  examples: [
    {
      line: 'toolwharf completion fish > ~/.config/fish/completions/toolwharf.fish',
      text: 'once, for fish',
    },
    { line: 'eval "$(toolwharf completion bash)"', text: 'in ~/.bashrc' },
    { line: 'eval "$(toolwharf completion zsh)"', text: 'in ~/.zshrc, after compinit' },
  ],
  options: [],
  async run(args, terminal) {
    const [name, ...more] = args.positionals;
    const shell = shells.find((it) => it === name);
    if (shell === undefined || more.length > 0) {
      const meant = name === undefined ? undefined : suggest(name, shells);
      throw new HostError(
        'usage',
        name === undefined || more.length > 0 ? 'name one shell' : `unknown shell ${JSON.stringify(name)}`,
        { hint: `${meant === undefined ? '' : `did you mean ${meant}? `}use ${shells.join(', ')}` },
      );
    }
    const script = completionScripts[shell];
    terminal.out(
      args.has('json') ? `${JSON.stringify({ schema: 'toolwharf/completion@1', shell, script })}\n` : script,
    );
    // At a terminal the script is of no use, so the person wants to know what to do with it.
    if (terminal.stdoutIsTerminal && !args.has('quiet')) terminal.err(`${completionSetup[shell]}\n`);
    return 0;
  },
};
