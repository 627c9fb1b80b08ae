import { HostError } from '../../../model/host-error.js';
import { printConfig } from '../../print/config.js';
import type { Command } from '../command/command.js';
import { type Config, loadConfig, sessionOptions } from '../config/config.js';
import { dryRunOption, isDryRun } from '../dry-run.js';
import { terminalStyle } from '../terminal/terminal-style.js';

export const config: Command = {
  name: 'config',
  summary: 'Show the settings in effect and where each one comes from, or change one.',
  usage: 'config list | set KEY VALUE… [--project] | unset KEY [--project]',
  examples: [
    { line: 'toolwharf config list', text: 'show all settings in effect here' },
    { line: 'toolwharf config list --show-origin', text: 'also show the file and line, variable or flag' },
    { line: 'toolwharf config set limits.seconds 30', text: 'write a setting to your configuration file' },
    {
      line: 'toolwharf config set paths ~/tools ~/more-tools',
      text: 'a list: all values replace the old ones',
    },
    {
      line: 'toolwharf config set runtime.strict true --project',
      text: 'write it to toolwharf.toml, which can only make settings stricter',
    },
    { line: 'toolwharf config unset limits.seconds', text: 'remove it from the file: the default applies' },
    {
      line: 'toolwharf config list --config ci.toml --json',
      text: 'use another file; print JSON for a script',
    },
  ],
  options: [
    { name: 'show-origin', text: 'show where each setting comes from' },
    { name: 'project', text: "change the project's file instead of yours" },
    dryRunOption,
    ...sessionOptions,
  ],
  async run(args, terminal) {
    const [verb = 'list', ...more] = args.positionals;
    if (verb === 'set' || verb === 'unset') {
      const { setConfig } = await import('./config-set.js');
      return setConfig(verb, more, args, terminal);
    }
    if (verb !== 'list' || more.length > 0)
      throw new HostError('usage', `unknown subcommand of config: ${JSON.stringify(more[0] ?? verb)}`, {
        hint: 'use list, set KEY VALUE or unset KEY; all settings are in docs/config.md',
      });
    if (args.has('project') || isDryRun(args))
      throw new HostError('usage', '--project and --dry-run work only with "config set" and "config unset"');
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
