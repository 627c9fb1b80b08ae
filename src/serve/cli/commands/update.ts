import { HostError } from '../../../model/host-error.js';
import { visibleLine } from '../../print/visible.js';
import type { Command } from '../command/command.js';
import { dryRunOption } from '../dry-run.js';
import { lifecycleOptions, namedPackage, openLifecycleSession } from '../lifecycle-session.js';
import { pinOption } from '../terminal/operator.js';
import { withHost } from '../with-host.js';
import { agreementOptions, installFrom } from './install.js';

export const update: Command = {
  name: 'update',
  summary: 'Update an installed package from its source. What it may do more needs your agreement.',
  usage: 'update PACKAGE [options]',
  examples: [
    { line: 'toolwharf outdated', text: 'see which packages have a newer version' },
    { line: 'toolwharf update weather', text: 'show the difference and ask' },
    { line: 'toolwharf update weather --yes', text: 'in a script: only if nothing needs your agreement' },
  ],
  options: [...agreementOptions, pinOption, dryRunOption, ...lifecycleOptions],
  async run(args, terminal) {
    return installFrom({ package: namedPackage(args, 'update') }, args, terminal);
  },
};

export const outdated: Command = {
  name: 'outdated',
  summary: 'Show installed packages whose source has another version. Changes nothing.',
  usage: 'outdated',
  examples: [
    { line: 'toolwharf outdated', text: 'ask every source' },
    { line: 'toolwharf outdated --json', text: 'print JSON for a script' },
    { line: 'toolwharf update weather', text: 'update one of them' },
  ],
  options: lifecycleOptions,
  async run(args, terminal) {
    if (args.positionals.length > 0) throw new HostError('usage', 'outdated takes no arguments');
    const packages = await withHost(args, terminal, async (host) => {
      const session = await openLifecycleSession(host, args, terminal, 'look');
      return session.installations.outdated({ signal: terminal.signal });
    });
    if (args.has('json')) terminal.out(`${JSON.stringify({ schema: 'toolwharf/outdated@1', packages })}\n`);
    else if (packages.length === 0) terminal.out('all installed packages are up to date\n');
    else
      for (const { package: id, version, available, moved = [], problem } of packages) {
        const state =
          available === undefined ? `could not be checked: ${problem}` : `available: ${available}`;
        const lines = [`${id}  ${version}  ${state}`, ...moved.map((it) => `  ${it}`)];
        for (const it of lines) terminal.out(`${visibleLine(it)}\n`);
      }
    return 0;
  },
};
