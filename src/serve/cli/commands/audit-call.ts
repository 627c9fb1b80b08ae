import type { OpenedArguments } from '../../../host/host.js';
import { HostError } from '../../../model/host-error.js';
import { revealJson } from '../../print/reveal.js';
import { visibleLine } from '../../print/visible.js';
import type { Arguments } from '../arguments.js';
import { withKeptHost } from '../attach.js';
import { timeOf, withAuditLog } from '../audit-log.js';
import { isDryRun, tellDryRun } from '../dry-run.js';
import { operatorHere } from '../operator.js';
import type { Terminal } from '../terminal.js';

/** All that the record says of one call. Its arguments only where they are kept and somebody asks for them. */
export async function showCall(
  call: string | undefined,
  args: Arguments,
  terminal: Terminal,
): Promise<number> {
  if (call === undefined)
    throw new HostError('usage', 'name a call', { hint: 'their ids are in "toolwharf audit tail"' });
  // That somebody looked is among the lines then.
  const opened = args.has('open') ? await openArguments(call, args, terminal) : undefined;
  const { lines, kept } = await withAuditLog(args, terminal, async (record) => ({
    lines: record.about(call).map(({ seq, at, kind, body }) => ({ seq, at, kind, body: JSON.parse(body) })),
    kept: record.keeps(call),
  }));
  if (lines.length === 0)
    throw new HostError('not_found', `the record has no call ${JSON.stringify(call.slice(0, 80))}`, {
      hint: 'the ids of calls are in "toolwharf audit tail"',
    });
  if (args.has('json')) {
    const { call: _call, ...rest } = opened ?? {};
    const shown = opened === undefined ? {} : { opened: { ...rest, at: time(opened.at) } };
    terminal.out(`${JSON.stringify({ schema: 'toolwharf/audit-call@1', call, lines, kept, ...shown })}\n`);
    return 0;
  }
  for (const { seq, at, kind, body } of lines)
    terminal.out(`${visibleLine(`${seq}  ${at}  ${kind.padEnd(8)}  ${JSON.stringify(body)}`)}\n`);
  if (opened !== undefined) terminal.out(openedWords(opened));
  else if (kept) terminal.out('its arguments are kept, sealed; to see them: --open\n');
  return 0;
}

function openArguments(call: string, args: Arguments, terminal: Terminal): Promise<OpenedArguments> {
  return withKeptHost(args, terminal, async (host) =>
    host.keptArguments.open(call, await operatorHere(host, args, terminal)),
  );
}

function openedWords({ tool, arguments: given, exact }: OpenedArguments): string {
  const note = exact ? 'exactly as they were' : 'secrets were taken out before they were kept';
  return `${visibleLine(`arguments of ${tool}, ${note}:`)}\n${revealJson(given)}\n`;
}

/** Erases arguments that are kept. The record itself keeps every line. */
export async function forgetArguments(args: Arguments, terminal: Terminal): Promise<number> {
  const before = timeOf(args.value('before'), 'before');
  if (before === undefined)
    throw new HostError('usage', 'say before which time arguments are forgotten', {
      hint: 'such as --before 2026-01-31',
    });
  if (isDryRun(args))
    return tellDryRun(`erase the kept arguments of all calls before ${before}`, args, terminal);
  const forgotten = await withKeptHost(args, terminal, async (host) =>
    host.keptArguments.forget(Date.parse(before), await operatorHere(host, args, terminal)),
  );
  if (args.has('json'))
    terminal.out(`${JSON.stringify({ schema: 'toolwharf/audit-forget@1', before, forgotten })}\n`);
  else if (!args.has('quiet'))
    terminal.out(
      `the arguments of ${forgotten} ${forgotten === 1 ? 'call' : 'calls'} from before ${before} are erased; the record keeps every line\n`,
    );
  return 0;
}

function time(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
