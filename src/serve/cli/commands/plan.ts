import { HostError } from '../../../model/host-error.js';
import { errorTable } from '../../errors.js';
import { printLockPlan } from '../../print/lock-plan.js';
import { printPlan } from '../../print/plan.js';
import { changeProgress } from '../change-progress.js';
import type { Arguments, Command } from '../command/command.js';
import { lifecycleOptions, openLifecycleSession, packageAllow } from '../lifecycle-session.js';
import { lockPlanDocument, planDocument, sourceOptions } from '../source-options.js';
import type { Terminal } from '../terminal/terminal.js';
import { terminalStyle } from '../terminal/terminal-style.js';
import { lookAtHost } from '../with-host.js';

export const planCommand: Command = {
  name: 'plan',
  summary: 'Show what installing a package would do. Runs none of it and changes nothing.',
  usage: 'plan [SOURCE] [options]',
  examples: [
    { line: 'toolwharf plan ./weather', text: 'a folder, a manifest, or an archive (.zip, .tgz, .mcpb)' },
    {
      line: 'toolwharf plan npm:@example/weather@^2',
      text: 'the newest version of a range; also pypi:NAME>=1',
    },
    {
      line: 'toolwharf plan git+https://git.example.com/tools.git#v1.2:weather',
      text: 'a folder of a repository at a revision',
    },
    { line: 'toolwharf plan', text: 'everything in toolwharf.lock of this folder' },
    { line: 'toolwharf plan ./weather --json', text: 'the plan as data, with the digest to agree to' },
  ],
  options: [...sourceOptions, ...lifecycleOptions],
  async run(args, terminal) {
    const [source, ...more] = args.positionals;
    if (args.positionals.length === 0) return planLockFile(args, terminal);
    if (source === undefined || more.length > 0)
      throw new HostError('usage', 'name one source', { hint: 'see "toolwharf plan --help"' });
    const plan = await lookAtHost(args, terminal, async (host) => {
      const session = await openLifecycleSession(host, args, terminal, 'look');
      return session.installations.plan({
        source,
        sha256: args.value('sha256'),
        package: args.value('package'),
        allow: packageAllow(args),
        estimate: args.has('estimate'),
        signal: terminal.signal,
        onProgress: changeProgress(args, terminal),
      });
    });
    if (args.has('json')) terminal.out(planDocument(plan));
    else terminal.out(printPlan(plan, terminalStyle(args, terminal), terminal.columns));
    return plan.blockers.length > 0 ? errorTable.runtime_missing.exit : 0;
  },
};

/** The packages of the lock file, as one page. */
async function planLockFile(args: Arguments, terminal: Terminal): Promise<number> {
  const plan = await lookAtHost(args, terminal, async (host) => {
    const { installations } = await openLifecycleSession(host, args, terminal, 'look');
    const onProgress = changeProgress(args, terminal);
    return installations.planRestore({ allow: packageAllow(args), onProgress, signal: terminal.signal });
  });
  const page = () => printLockPlan(plan, terminalStyle(args, terminal), terminal.columns);
  terminal.out(args.has('json') ? lockPlanDocument(plan) : page());
  return plan.plans.some((it) => it.blockers.length > 0) ? errorTable.runtime_missing.exit : 0;
}
