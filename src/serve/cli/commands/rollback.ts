import { HostError } from '../../../model/host-error.js';
import { printChange } from '../../print/change.js';
import { changeProgress } from '../change-progress.js';
import type { Command } from '../command/command.js';
import { dryRunOption, isDryRun, reportDryRun } from '../dry-run.js';
import { lifecycleOptions, openLifecycleSession } from '../lifecycle-session.js';
import { changeDocument } from '../source-options.js';
import { pinOption, terminalOperator } from '../terminal/operator.js';
import { withHost } from '../with-host.js';

export const rollback: Command = {
  name: 'rollback',
  summary: 'Serve an earlier generation of an installed package again.',
  usage: 'rollback PACKAGE [GENERATION]',
  examples: [
    { line: 'toolwharf rollback weather', text: 'the generation before the current one' },
    {
      line: 'toolwharf rollback weather 2',
      text: 'a generation by its number; if it is served already, the lock file gets it',
    },
    { line: 'toolwharf history weather', text: 'see the generations' },
  ],
  options: [pinOption, dryRunOption, ...lifecycleOptions],
  async run(args, terminal) {
    const [id, number, ...more] = args.positionals;
    const generation = number === undefined ? undefined : Number(number);
    if (id === undefined || more.length > 0)
      throw new HostError('usage', 'name one installed package', { hint: 'see "toolwharf rollback --help"' });
    if (generation !== undefined && !(Number.isInteger(generation) && generation > 0))
      throw new HostError('usage', `${JSON.stringify(number)} is not the number of a generation`, {
        hint: `see "toolwharf history ${id}"`,
      });
    if (isDryRun(args)) {
      const [generations, { lockFiles }] = await withHost(args, terminal, async (host) => {
        const { installations } = await openLifecycleSession(host, args, terminal, 'look');
        return Promise.all([installations.history(id), installations.why(id)]);
      });
      const current = generations.findIndex((it) => it.isCurrent);
      const target =
        generation === undefined
          ? generations[current + 1]
          : generations.find((it) => it.generation === generation);
      if (target?.isCurrent === true && lockFiles.some((it) => !it.isInstalled))
        return reportDryRun(
          `write generation ${target.generation} of ${id} to its lock file`,
          args,
          terminal,
        );
      if (target === undefined || target.isCurrent)
        throw new HostError('not_found', `${id} has no such generation to go back to`, {
          hint: `see "toolwharf history ${id}"`,
        });
      return reportDryRun(`serve generation ${target.generation} of ${id}`, args, terminal);
    }
    const change = await withHost(args, terminal, async (host) => {
      const { installations } = await openLifecycleSession(host, args, terminal, 'use');
      const by = await terminalOperator(host, args, terminal);
      const onProgress = changeProgress(args, terminal);
      return installations.rollback({ package: id, generation, by, onProgress, signal: terminal.signal });
    });
    terminal.out(args.has('json') ? changeDocument(change) : printChange(change));
    return 0;
  },
};
