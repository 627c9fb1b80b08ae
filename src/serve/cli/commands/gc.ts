import { HostError } from '../../../model/host-error.js';
import type { Command } from '../command/command.js';
import { dryRunOption, isDryRun, reportDryRun } from '../dry-run.js';
import { lifecycleOptions, openLifecycleSession } from '../lifecycle-session.js';
import { pinOption, terminalOperator } from '../terminal/operator.js';
import { withHost } from '../with-host.js';

export const gc: Command = {
  name: 'gc',
  summary: 'Remove old generations of installed packages and unused files. The last three are kept.',
  usage: 'gc',
  examples: [
    { line: 'toolwharf gc', text: 'free disk space' },
    { line: 'toolwharf history weather', text: 'see the generations of a package' },
    { line: 'toolwharf gc --json', text: 'print JSON for a script' },
  ],
  options: [pinOption, dryRunOption, ...lifecycleOptions],
  async run(args, terminal) {
    if (args.positionals.length > 0) throw new HostError('usage', 'gc takes no arguments');
    if (isDryRun(args)) return reportDryRun('remove old generations and unused files', args, terminal);
    const report = await withHost(args, terminal, async (host) => {
      const { installations } = await openLifecycleSession(host, args, terminal, 'use');
      return installations.collectGarbage(await terminalOperator(host, args, terminal));
    });
    if (args.has('json')) terminal.out(`${JSON.stringify({ schema: 'toolwharf/gc@1', ...report })}\n`);
    else
      terminal.out(
        `removed ${report.generations} old generations and ${report.trees} unused trees of files\n`,
      );
    return 0;
  },
};
