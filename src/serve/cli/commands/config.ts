import { HostError } from '../../../model/host-error.js';
import { printConfig } from '../../print/config.js';
import type { Command } from '../command/command.js';
import { type Config, loadConfig, sessionOptions } from '../config/config.js';
import { terminalStyle } from '../terminal/terminal-style.js';

export const config: Command = {
  name: 'config',
  summary: 'Show the settings in effect, and where each one comes from.',
  usage: 'config list [options]',
  examples: [
    { line: 'toolwharf config list', text: 'show all settings in effect here' },
    { line: 'toolwharf config list --show-origin', text: 'also show the file and line, variable or flag' },
    {
      line: 'toolwharf config list --config ci.toml --json',
      text: 'use another file; print JSON for a script',
    },
  ],
  options: [{ name: 'show-origin', text: 'show where each setting comes from' }, ...sessionOptions],
  async run(args, terminal) {
    const [verb = 'list', ...more] = args.positionals;
    if (verb !== 'list' || more.length > 0)
      throw new HostError('usage', `unknown subcommand of config: ${JSON.stringify(more[0] ?? verb)}`, {
        hint: 'use "toolwharf config list"; to change settings, edit the file: docs/config.md',
      });
    const loaded = await loadConfig(args, terminal);
    if (args.has('json')) {
      terminal.out(`${JSON.stringify(toDocument(loaded))}\n`);
    } else {
      const style = terminalStyle(args, terminal);
      const origins = args.has('show-origin');
      terminal.out(printConfig(loaded.entries, { style, origins, columns: terminal.columns }));
    }
    return 0;
  },
};

function toDocument({ entries, user, project }: Config) {
  return {
    schema: 'toolwharf/config@1',
    files: { user: user ?? null, project: project ?? null },
    settings: entries.map(({ key, value, origins }) => ({ key, value: value ?? null, origins })),
  };
}
