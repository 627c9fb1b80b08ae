import { HostError } from '../../../model/host-error.js';
import { visibleLine } from '../../print/visible.js';
import type { Arguments } from '../command/command.js';
import { isDryRun, reportDryRun } from '../dry-run.js';
import { terminalOperator } from '../terminal/operator.js';
import type { Terminal } from '../terminal/terminal.js';
import { withExistingHost } from '../with-host.js';

const hint = 'see "toolwharf list --attention"';

/** Acknowledges a call with an unknown outcome, or the rollback that an entry of the audit log reports. */
export async function acknowledge(
  subject: string | undefined,
  args: Arguments,
  terminal: Terminal,
): Promise<number> {
  if (subject === undefined)
    throw new HostError('usage', 'name a call, or an entry about a rollback', { hint });
  const done = /^\d{1,15}$/.test(subject)
    ? await acknowledgeRollback(Number(subject), args, terminal)
    : await acknowledgeCall(subject, args, terminal);
  if (isDryRun(args)) return reportDryRun(`acknowledge ${subject}`, args, terminal);
  if (args.has('json'))
    terminal.out(`${JSON.stringify({ schema: 'toolwharf/acknowledge@1', ...done.document })}\n`);
  else terminal.out(`${visibleLine(done.text)}\n`);
  return 0;
}

interface Done {
  readonly document: Readonly<Record<string, string | number>>;
  readonly text: string;
}

async function acknowledgeCall(call: string, args: Arguments, terminal: Terminal): Promise<Done> {
  const done = await withExistingHost(args, terminal, async (it) =>
    isDryRun(args)
      ? (await it.outcomes.unknown()).some((open) => open.call === call)
      : it.outcomes.acknowledge(call, terminal.principal),
  );
  if (!done)
    throw new HostError('not_found', `no call ${JSON.stringify(call.slice(0, 80))} has an unknown outcome`, {
      hint,
    });
  return {
    document: { call },
    text: `${call} is acknowledged; the audit log still shows its outcome as unknown`,
  };
}

async function acknowledgeRollback(entry: number, args: Arguments, terminal: Terminal): Promise<Done> {
  const done = await withExistingHost(args, terminal, async (it) =>
    isDryRun(args)
      ? (await it.rollbacks.list()).some((open) => open.entry === entry)
      : it.rollbacks.acknowledge(entry, await terminalOperator(it, args, terminal)),
  );
  if (!done)
    throw new HostError(
      'not_found',
      `entry ${entry} is not about a rollback, or it is acknowledged already`,
      {
        hint,
      },
    );
  return {
    document: { entry },
    text: `the rollback in entry ${entry} is acknowledged; the entry and its evidence stay in the audit log`,
  };
}
