import { HostError } from '../../../model/host-error.js';
import { visibleLine } from '../../print/visible.js';
import type { Arguments } from '../arguments.js';
import { withHost } from '../attach.js';
import type { Command } from '../command.js';
import { dryRunOption, isDryRun, tellDryRun } from '../dry-run.js';
import { tellUnseen } from '../unseen-package.js';

export const disable: Command = {
  name: 'disable',
  summary: 'Switch a package off: it stays listed and is never run.',
  usage: 'disable PACKAGE',
  examples: [
    { line: 'toolwharf disable weather', text: 'from now on, in every session' },
    { line: 'toolwharf enable weather', text: 'the way back' },
    { line: 'toolwharf disable weather --json', text: 'for a script' },
  ],
  options: [dryRunOption],
  async run(args, terminal) {
    const id = onePackage(args, 'disable');
    if (isDryRun(args)) {
      const off = await withHost(args, terminal, async (host) => {
        await tellUnseen(host, id, args, terminal);
        return host.switches.disabled();
      });
      return tellDryRun(
        off.includes(id) ? `do nothing: ${id} is off already` : `switch ${id} off`,
        args,
        terminal,
      );
    }
    const changed = await withHost(args, terminal, async (host) => {
      const done = await host.switches.set(id, false, terminal.principal);
      await tellUnseen(host, id, args, terminal);
      return done;
    });
    if (args.has('json')) terminal.out(`${JSON.stringify(switchDocument(id, false, changed))}\n`);
    else if (changed)
      terminal.out(`${visibleLine(id)} is off; switch it on again: toolwharf enable ${visibleLine(id)}\n`);
    else terminal.out(`${visibleLine(id)} was off already\n`);
    return 0;
  },
};

export function onePackage(args: Arguments, command: string): string {
  const [id, ...more] = args.positionals;
  if (id === undefined || id === '' || more.length > 0)
    throw new HostError('usage', 'name one package', { hint: `see "toolwharf ${command} --help"` });
  if (/[\s/]/.test(id))
    throw new HostError('usage', `${JSON.stringify(id)} is not the id of a package`, {
      hint: 'packages are switched as a whole; see their ids with "toolwharf list"',
    });
  return id;
}

export function switchDocument(id: string, enabled: boolean, changed: boolean) {
  return { schema: 'toolwharf/switch@1', package: id, enabled, changed };
}
