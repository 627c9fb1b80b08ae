import { HostError } from '../../model/host-error.js';
import { errorTable } from '../errors.js';
import { printChange } from '../print/change.js';
import { printLockPlan } from '../print/lock-plan.js';
import { visibleLine } from '../print/visible.js';
import { changeProgress } from './change-progress.js';
import type { Arguments } from './command/command.js';
import { isDryRun } from './dry-run.js';
import { agreesToLockPlan } from './install-agreement.js';
import { collectValuesOf } from './install-values.js';
import { openLifecycleSession, packageAllow } from './lifecycle-session.js';
import { lockPlanDocument } from './source-options.js';
import { terminalOperator } from './terminal/operator.js';
import type { Terminal } from './terminal/terminal.js';
import { terminalStyle } from './terminal/terminal-style.js';
import { withHost } from './with-host.js';

/** Options of `install` that say something about one source. A lock file has its own answers. */
const sourceOnly = ['sha256', 'package', 'estimate', 'dir', 'save'];

/** Installs what the lock file of this folder says; with a source, only the package from there. */
export async function restoreFrom(
  source: string | undefined,
  args: Arguments,
  terminal: Terminal,
): Promise<number> {
  const misplaced = sourceOnly.find((it) => args.has(it));
  if (misplaced !== undefined)
    throw new HostError('usage', `--${misplaced} does not go with the lock file`, {
      hint: 'see "toolwharf install --help"',
    });
  return withHost(args, terminal, async (host) => {
    const session = await openLifecycleSession(host, args, terminal, isDryRun(args) ? 'look' : 'use');
    const { installations } = session;
    const allow = packageAllow(args);
    const onProgress = changeProgress(args, terminal);
    const request = { source, allow, onProgress, signal: terminal.signal };
    const plan = await installations.planRestore(request);
    const page = printLockPlan(plan, terminalStyle(args, terminal), terminal.columns);
    if (isDryRun(args)) {
      terminal.out(args.has('json') ? lockPlanDocument(plan) : page);
      return 0;
    }
    const hasWork = plan.plans.length > 0;
    if (hasWork && !args.has('json') && !args.has('quiet')) terminal.out(`${page}\n`);
    for (const { blockers, package: pkg } of plan.plans)
      if (blockers.length > 0)
        throw new HostError('runtime_missing', `${pkg.id} cannot run here: ${blockers.join('; ')}`);
    if (hasWork && !(await agreesToLockPlan(plan, allow, args, terminal))) {
      terminal.err('nothing was changed\n');
      return errorTable.approval_required.exit;
    }
    const values = hasWork ? await collectValuesOf(plan.plans, installations, args, terminal) : {};
    const by = hasWork ? await terminalOperator(host, args, terminal) : terminal.principal;
    const skipSmoke = args.has('skip-smoke');
    const report = await installations.restore({ ...request, agree: plan.digest, values, by, skipSmoke });
    if (args.has('json')) terminal.out(`${JSON.stringify({ schema: 'toolwharf/restore@1', ...report })}\n`);
    else if (!hasWork)
      terminal.out(
        `${visibleLine(`everything in ${plan.file} is installed already; nothing was changed`)}\n`,
      );
    else for (const it of report.changes) terminal.out(printChange(it));
    return 0;
  });
}
