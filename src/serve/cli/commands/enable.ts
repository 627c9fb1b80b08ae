import { suggest } from '../../../formats/suggest.js';
import { visibleLine } from '../../print/visible.js';
import type { Arguments, Command } from '../command/command.js';
import { examineConfig } from '../config/config.js';
import { dryRunOption, isDryRun, reportDryRun } from '../dry-run.js';
import { pinOption, terminalOperator } from '../terminal/operator.js';
import type { Terminal } from '../terminal/terminal.js';
import { withHost } from '../with-host.js';
import { onePackage, switchDocument } from './disable.js';

export const enable: Command = {
  name: 'enable',
  summary: 'Enable a package that was disabled with "toolwharf disable".',
  usage: 'enable PACKAGE',
  examples: [
    { line: 'toolwharf enable weather', text: 'let it run again' },
    { line: 'toolwharf list', text: 'see which packages are disabled' },
    { line: 'toolwharf enable weather --json', text: 'print JSON for a script' },
  ],
  options: [pinOption, dryRunOption],
  async run(args, terminal) {
    const id = onePackage(args, 'enable');
    if (isDryRun(args)) {
      const off = await withHost(args, terminal, (host) => host.switches.disabled());
      return reportDryRun(
        off.includes(id) ? `enable ${id}` : `do nothing: ${id} is not disabled`,
        args,
        terminal,
      );
    }
    const { changed, off } = await withHost(args, terminal, async (host) => ({
      changed: await host.switches.set(id, true, await terminalOperator(host, args, terminal)),
      off: await host.switches.disabled(),
    }));
    const configured = await disabledByConfig(id, args, terminal);
    if (args.has('json')) {
      terminal.out(`${JSON.stringify(switchDocument(id, configured === undefined, changed))}\n`);
      return 0;
    }
    const meant = changed ? undefined : suggest(id, off);
    if (changed) terminal.out(`${visibleLine(id)} is enabled\n`);
    else terminal.out(`${visibleLine(id)} was not disabled${meant ? `; did you mean ${meant}?` : ''}\n`);
    if (configured !== undefined)
      terminal.err(`warning: it stays disabled: packages.disabled in ${visibleLine(configured)} lists it\n`);
    return 0;
  },
};

/** The configuration file that also disables the package; this command does not change it. */
async function disabledByConfig(
  id: string,
  args: Arguments,
  terminal: Terminal,
): Promise<string | undefined> {
  const { config } = await examineConfig(args, terminal);
  const entry = config?.entries.find((it) => it.key === 'packages.disabled');
  if (!Array.isArray(entry?.value) || !entry.value.includes(id)) return undefined;
  return entry.origins.map((it) => ('file' in it ? `${it.file}:${it.line}` : it.kind)).join(' and ');
}
