import { HostError } from '../../../model/host-error.js';
import { printConfig } from '../../print/config.js';
import type { Command } from '../command.js';
import { type Config, loadConfig, sessionOptions } from '../config.js';
import { styleFor } from '../style-for.js';

export const config: Command = {
  name: 'config',
  summary: 'Show what is configured, and where each setting comes from.',
  usage: 'config list [options]',
  examples: [
    { line: 'toolwharf config list', text: 'all settings as they hold here' },
    { line: 'toolwharf config list --show-origin', text: 'with the file and line, variable or flag' },
    { line: 'toolwharf config list --config ci.toml --json', text: 'of another file, for a script' },
  ],
  options: [{ name: 'show-origin', text: 'say where each setting comes from' }, ...sessionOptions],
  async run(args, terminal) {
    const [verb = 'list', ...more] = args.positionals;
    if (verb !== 'list' || more.length > 0)
      throw new HostError('usage', `config has no ${JSON.stringify(more[0] ?? verb)}`, {
        hint: 'use "toolwharf config list"; settings are made in the file, see docs/config.md',
      });
    const found = await loadConfig(args, terminal);
    if (args.has('json')) {
      terminal.out(`${JSON.stringify(toDocument(found))}\n`);
    } else {
      const style = styleFor(args, terminal);
      const origins = args.has('show-origin');
      terminal.out(printConfig(found.entries, { style, origins, columns: terminal.columns }));
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
