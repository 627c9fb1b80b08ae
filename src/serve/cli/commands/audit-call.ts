import type { OpenedArguments } from '../../../host/host.js';
import { HostError } from '../../../model/host-error.js';
import { revealJson } from '../../print/reveal.js';
import { visibleLine } from '../../print/visible.js';
import { parseAuditTime, withAuditLog } from '../audit-log.js';
import type { Arguments } from '../command/command.js';
import { isDryRun, reportDryRun } from '../dry-run.js';
import { terminalOperator } from '../terminal/operator.js';
import type { Terminal } from '../terminal/terminal.js';
import { withExistingHost } from '../with-host.js';

/** Prints all audit entries about one call. With --open also its arguments, if they are stored. */
export async function showCall(
  call: string | undefined,
  args: Arguments,
  terminal: Terminal,
): Promise<number> {
  if (call === undefined)
    throw new HostError('usage', 'name a call', { hint: '"toolwharf audit tail" shows the ids of calls' });
  // Opened first, so that the entry about opening is among the entries shown.
  const opened = args.has('open') ? await openArguments(call, args, terminal) : undefined;
  const { entries, kept } = await withAuditLog(args, terminal, async (log) => ({
    entries: log
      .entriesOfCall(call)
      .map(({ seq, at, kind, body }) => ({ seq, at, kind, body: JSON.parse(body) })),
    kept: log.hasKeptArguments(call),
  }));
  if (entries.length === 0)
    throw new HostError('not_found', `no call ${JSON.stringify(call.slice(0, 80))} in the audit log`, {
      hint: '"toolwharf audit tail" shows the ids of calls',
    });
  if (args.has('json')) {
    const { call: _call, ...rest } = opened ?? {};
    const shown = opened === undefined ? {} : { opened: { ...rest, at: time(opened.at) } };
    terminal.out(`${JSON.stringify({ schema: 'toolwharf/audit-call@1', call, entries, kept, ...shown })}\n`);
    return 0;
  }
  for (const { seq, at, kind, body } of entries)
    terminal.out(`${visibleLine(`${seq}  ${at}  ${kind.padEnd(8)}  ${JSON.stringify(body)}`)}\n`);
  if (opened !== undefined) terminal.out(openedText(opened));
  else if (kept) terminal.out('its arguments are stored encrypted; show them with --open\n');
  return 0;
}

function openArguments(call: string, args: Arguments, terminal: Terminal): Promise<OpenedArguments> {
  return withExistingHost(args, terminal, async (host) =>
    host.keptArguments.open(call, await terminalOperator(host, args, terminal)),
  );
}

function openedText({ tool, arguments: callArguments, exact }: OpenedArguments): string {
  const note = exact ? 'exactly as they were' : 'without secrets, which were removed before storing';
  return `${visibleLine(`arguments of ${tool}, ${note}:`)}\n${revealJson(callArguments)}\n`;
}

/** Erases stored arguments. The audit log keeps every entry. */
export async function forgetArguments(args: Arguments, terminal: Terminal): Promise<number> {
  const before = parseAuditTime(args.value('before'), 'before');
  if (before === undefined)
    throw new HostError('usage', '--before is missing: arguments of calls before that time are erased', {
      hint: 'write a date, such as --before 2026-01-31',
    });
  if (isDryRun(args))
    return reportDryRun(`erase the stored arguments of all calls before ${before}`, args, terminal);
  const forgotten = await withExistingHost(args, terminal, async (host) =>
    host.keptArguments.forget(Date.parse(before), await terminalOperator(host, args, terminal)),
  );
  if (args.has('json'))
    terminal.out(`${JSON.stringify({ schema: 'toolwharf/audit-forget@1', before, forgotten })}\n`);
  else if (!args.has('quiet'))
    terminal.out(
      `erased the arguments of ${forgotten} ${forgotten === 1 ? 'call' : 'calls'} before ${before}; the audit log keeps every entry\n`,
    );
  return 0;
}

function time(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
