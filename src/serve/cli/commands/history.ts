import { visibleLine } from '../../print/visible.js';
import type { Command } from '../command/command.js';
import { lifecycleOptions, namedPackage, openLifecycleSession } from '../lifecycle-session.js';
import { lookAtHost } from '../with-host.js';

export const history: Command = {
  name: 'history',
  summary: 'Show the generations of an installed package, newest first.',
  usage: 'history PACKAGE',
  examples: [
    { line: 'toolwharf history weather', text: 'which versions are kept, and which one is served' },
    { line: 'toolwharf rollback weather', text: 'serve the one before' },
    { line: 'toolwharf history weather --json', text: 'print JSON for a script' },
  ],
  options: lifecycleOptions,
  async run(args, terminal) {
    const id = namedPackage(args, 'history');
    const generations = await lookAtHost(args, terminal, async (host) => {
      const session = await openLifecycleSession(host, args, terminal, 'look');
      return session.installations.history(id);
    });
    if (args.has('json')) {
      terminal.out(`${JSON.stringify({ schema: 'toolwharf/history@1', package: id, generations })}\n`);
      return 0;
    }
    for (const it of generations) {
      const at = new Date(it.createdAt).toISOString().slice(0, 16).replace('T', ' ');
      const mark = it.isCurrent ? '*' : ' ';
      const failed =
        it.trial?.state === 'failed'
          ? `  rolled back by the host: never started: ${it.trial.reason ?? ''}`
          : '';
      const smoke = it.smoke.status === 'none' ? '' : `  smoke test ${it.smoke.status}`;
      terminal.out(
        `${visibleLine(`${mark} ${it.generation}  ${it.version}  ${at}  ${it.createdBy}  ${it.resolved}${smoke}${failed}`)}\n`,
      );
    }
    return 0;
  },
};
