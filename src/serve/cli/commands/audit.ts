import type { AuditReader, ProvenEntry } from '../../../host/host.js';
import type { AuditVerdict } from '../../../model/audit.js';
import { HostError } from '../../../model/host-error.js';
import { exportLines } from '../../print/audit-export.js';
import { visibleLine } from '../../print/visible.js';
import type { Arguments } from '../arguments.js';
import { withKeptHost } from '../attach.js';
import { timeOf, withAuditLog } from '../audit-log.js';
import type { Command } from '../command.js';
import { dryRunOption, isDryRun, tellDryRun } from '../dry-run.js';
import { pinOption } from '../operator.js';
import type { Terminal } from '../terminal.js';
import { forgetArguments, showCall } from './audit-call.js';

const followMs = 250;

export const audit: Command = {
  name: 'audit',
  summary:
    'Read the record of all calls, take it elsewhere, and check that nobody changed it. Needs no host.',
  usage:
    'audit verify [FILE] | tail [COUNT] [--follow] | export [--since TIME] [--until TIME] | show CALL [--open] | forget --before TIME | acknowledge CALL',
  examples: [
    { line: 'toolwharf audit verify', text: 'the chain of hashes against itself and its signed checkpoints' },
    { line: 'toolwharf audit tail -n 100 --json', text: 'the newest 100 lines for a script' },
    { line: 'toolwharf audit tail --follow', text: 'and every line that comes' },
    { line: 'toolwharf audit export --since 2026-01-01 > record.ndjson', text: 'with the proof in it' },
    { line: 'toolwharf audit verify record.ndjson', text: 'check what was exported' },
    { line: 'toolwharf audit show call_1f…', text: 'all that is said of one call' },
    { line: 'toolwharf audit show call_1f… --open', text: 'and its arguments, where they are kept' },
    {
      line: 'toolwharf audit forget --before 2026-01-01',
      text: 'erase kept arguments; the record stays whole',
    },
    { line: 'toolwharf audit acknowledge call_1f…', text: 'you know what became of a call that has no end' },
  ],
  options: [
    { name: 'lines', short: 'n', value: 'COUNT', text: 'how many of the newest lines (20 unless told)' },
    { name: 'follow', short: 'f', text: 'go on with every line that comes' },
    { name: 'since', value: 'TIME', text: 'from this time on, such as 2026-01-31 or 2026-01-31T12:00:00Z' },
    { name: 'until', value: 'TIME', text: 'up to this time' },
    { name: 'open', text: 'with its arguments, if audit.arguments keeps them; this is recorded' },
    { name: 'before', value: 'TIME', text: 'erase the arguments of calls that were made before this time' },
    { name: 'format', value: 'NAME', text: 'ndjson or csv (ndjson unless told)' },
    { name: 'public', value: 'FILE', text: 'public key to check against, from a place that you trust' },
    { name: 'config', value: 'FILE', text: 'user configuration to read instead of the usual one' },
    pinOption,
    dryRunOption,
  ],
  async run(args, terminal) {
    const [verb, word, ...more] = args.positionals;
    const alone = verb === 'export' || verb === 'forget';
    if (more.length > 0 || (alone && word !== undefined)) throw usage();
    switch (verb) {
      case 'verify':
        return verify(word, args, terminal);
      case 'tail':
        return tail(word ?? args.value('lines') ?? '20', args, terminal);
      case 'acknowledge':
        return acknowledge(word, args, terminal);
      case 'show':
        return showCall(word, args, terminal);
      case 'forget':
        return forgetArguments(args, terminal);
      case 'export':
        return withAuditLog(args, terminal, (it) => exportAll(it, args, terminal));
      default:
        throw usage();
    }
  },
};

function usage(): HostError {
  return new HostError('usage', 'say verify, tail, export, show, forget or acknowledge', {
    hint: 'see "toolwharf audit --help"',
  });
}

async function verify(file: string | undefined, args: Arguments, terminal: Terminal): Promise<number> {
  const trusted = args.value('public');
  const verdict =
    file === undefined
      ? await withAuditLog(args, terminal, (it) => it.verify(trusted))
      : await terminal.verifyExport(file, trusted);
  if (args.has('json')) terminal.out(`${JSON.stringify({ schema: 'toolwharf/audit@1', ...verdict })}\n`);
  else if (verdict.ok) terminal.out(`${wholeWords(verdict)}\n`);
  else terminal.err(`error: the record was changed: ${visibleLine(verdict.problem ?? '')}\n`);
  return verdict.ok ? 0 : 6;
}

async function acknowledge(call: string | undefined, args: Arguments, terminal: Terminal): Promise<number> {
  if (call === undefined)
    throw new HostError('usage', 'name a call', { hint: 'see "toolwharf list --attention"' });
  const done = await withKeptHost(args, terminal, async (it) =>
    isDryRun(args)
      ? (await it.outcomes.unknown()).some((open) => open.call === call)
      : it.outcomes.acknowledge(call, terminal.principal),
  );
  if (!done)
    throw new HostError('not_found', `no call ${JSON.stringify(call.slice(0, 80))} has an unknown outcome`, {
      hint: 'see "toolwharf list --attention"',
    });
  if (isDryRun(args)) return tellDryRun(`acknowledge ${call}`, args, terminal);
  if (args.has('json')) terminal.out(`${JSON.stringify({ schema: 'toolwharf/acknowledge@1', call })}\n`);
  else terminal.out(`${visibleLine(call)} is acknowledged; the record keeps that its outcome is unknown\n`);
  return 0;
}

function wholeWords({ entries, checkpoints, sealed }: AuditVerdict): string {
  const seals =
    checkpoints === 0
      ? 'there is no checkpoint yet'
      : `${checkpoints} signed checkpoints, the last of line ${sealed}`;
  return `the record is whole: ${entries} lines, each sealing the one before; ${seals}`;
}

async function tail(count: string, args: Arguments, terminal: Terminal): Promise<number> {
  if (!/^\d{1,6}$/.test(count))
    throw new HostError('usage', `${JSON.stringify(count)} is not a number of lines`);
  const print = ({ seq, at, kind, body }: ProvenEntry) => {
    const parsed = JSON.parse(body);
    terminal.out(
      args.has('json')
        ? `${JSON.stringify({ seq, at, kind, body: parsed })}\n`
        : `${visibleLine(`${seq}  ${at}  ${kind.padEnd(8)}  ${JSON.stringify(parsed)}`)}\n`,
    );
  };
  return withAuditLog(args, terminal, async (record) => {
    let seen = Math.max(0, record.last() - Number(count));
    for (;;) {
      for (const line of record.lines(seen)) {
        print(line);
        seen = line.seq;
      }
      if (!args.has('follow') || terminal.signal.aborted) return 0;
      await pause(followMs, terminal.signal);
    }
  });
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const over = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', over);
      resolve();
    };
    const timer = setTimeout(over, milliseconds);
    signal.addEventListener('abort', over, { once: true });
  });
}

async function exportAll(record: AuditReader, args: Arguments, terminal: Terminal): Promise<number> {
  const format = args.value('format') ?? 'ndjson';
  if (format !== 'ndjson' && format !== 'csv')
    throw new HostError('usage', `--format ${JSON.stringify(format)} is not known`, {
      hint: 'use ndjson or csv',
    });
  const span = record.span(timeOf(args.value('since'), 'since'), timeOf(args.value('until'), 'until'));
  for await (const piece of exportLines(record, span, format)) {
    // Not ahead of a reader that is slow.
    if (!terminal.stdout.write(piece)) await drained(terminal);
    if (terminal.signal.aborted) throw new HostError('canceled', 'interrupted');
  }
  return 0;
}

function drained(terminal: Terminal): Promise<void> {
  return new Promise((resolve) => {
    for (const event of ['drain', 'close', 'error']) terminal.stdout.once(event, () => resolve());
  });
}
