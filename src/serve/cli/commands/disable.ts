import { HostError } from '../../../model/host-error.js';
import { visibleLine } from '../../print/visible.js';
import type { Arguments, Command } from '../command/command.js';
import { dryRunOption, isDryRun, reportDryRun } from '../dry-run.js';
import { warnIfUnknownPackage } from '../unknown-package.js';
import { withHost } from '../with-host.js';

export const disable: Command = {
  name: 'disable',
  summary: 'Disable a package: it stays listed but never runs.',
  usage: 'disable PACKAGE',
  examples: [
    { line: 'toolwharf disable weather', text: 'takes effect now, in every session' },
    { line: 'toolwharf enable weather', text: 'enable it again' },
    { line: 'toolwharf disable weather --json', text: 'print JSON for a script' },
  ],
  options: [dryRunOption],
  async run(args, terminal) {
    const id = onePackage(args, 'disable');
    if (isDryRun(args)) {
      const off = await withHost(args, terminal, async (host) => {
        await warnIfUnknownPackage(host, id, args, terminal);
        return host.switches.disabled();
      });
      return reportDryRun(
        off.includes(id) ? `do nothing: ${id} is already disabled` : `disable ${id}`,
        args,
        terminal,
      );
    }
    const changed = await withHost(args, terminal, async (host) => {
      const done = await host.switches.set(id, false, terminal.principal);
      await warnIfUnknownPackage(host, id, args, terminal);
      return done;
    });
    if (args.has('json')) terminal.out(`${JSON.stringify(switchDocument(id, false, changed))}\n`);
    else if (changed)
      terminal.out(`${visibleLine(id)} is disabled; enable it again: toolwharf enable ${visibleLine(id)}\n`);
    else terminal.out(`${visibleLine(id)} was already disabled\n`);
    return 0;
  },
};

export function onePackage(args: Arguments, command: string): string {
  const [id, ...more] = args.positionals;
  if (id === undefined || id === '' || more.length > 0)
    throw new HostError('usage', 'name one package', { hint: `see "toolwharf ${command} --help"` });
  if (/[\s/]/.test(id))
    throw new HostError('usage', `${JSON.stringify(id)} is not a package id`, {
      hint: 'only whole packages can be enabled or disabled; "toolwharf list" shows their ids',
    });
  return id;
}

export function switchDocument(id: string, enabled: boolean, changed: boolean) {
  return { schema: 'toolwharf/switch@1', package: id, enabled, changed };
}
