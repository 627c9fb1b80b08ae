import type { AuditReader, HashedAuditEntry } from '../../../host/host.js';
import type { AuditVerdict } from '../../../model/audit.js';
import { HostError } from '../../../model/host-error.js';
import { exportLines } from '../../print/audit-export.js';
import { visibleLine } from '../../print/visible.js';
import { parseAuditTime, withAuditLog } from '../audit-log.js';
import type { Arguments, Command } from '../command/command.js';
import { dryRunOption, isDryRun, reportDryRun } from '../dry-run.js';
import { pinOption } from '../terminal/operator.js';
import type { Terminal } from '../terminal/terminal.js';
import { withExistingHost } from '../with-host.js';
import { forgetArguments, showCall } from './audit-call.js';

const followMs = 250;

export const audit: Command = {
  name: 'audit',
  summary: 'Read, export and verify the audit log of all calls. Works without a running host.',
  usage:
    'audit verify [FILE] | tail [COUNT] [--follow] | export [--since TIME] [--until TIME] | show CALL [--open] | forget --before TIME | acknowledge CALL',
  examples: [
    { line: 'toolwharf audit verify', text: 'check the hash chain and the signed checkpoints' },
    { line: 'toolwharf audit tail -n 100 --json', text: 'print the newest 100 entries as JSON for a script' },
    { line: 'toolwharf audit tail --follow', text: 'keep printing new entries' },
    {
      line: 'toolwharf audit export --since 2026-01-01 > audit.ndjson',
      text: 'export entries with their proof',
    },
    { line: 'toolwharf audit verify audit.ndjson', text: 'verify an exported file' },
    { line: 'toolwharf audit show call_1f…', text: 'show all entries about one call' },
    { line: 'toolwharf audit show call_1f… --open', text: 'also show its arguments, if they are stored' },
    {
      line: 'toolwharf audit forget --before 2026-01-01',
      text: 'erase stored arguments; the log stays complete',
    },
    { line: 'toolwharf audit acknowledge call_1f…', text: 'mark a call with unknown outcome as checked' },
  ],
  options: [
    { name: 'entries', short: 'n', value: 'COUNT', text: 'how many of the newest entries (default: 20)' },
    { name: 'follow', short: 'f', text: 'keep printing new entries as they arrive' },
    { name: 'since', value: 'TIME', text: 'from this time, such as 2026-01-31 or 2026-01-31T12:00:00Z' },
    { name: 'until', value: 'TIME', text: 'up to this time' },
    { name: 'open', text: 'show the arguments too, if audit.arguments stores them; this is logged' },
    { name: 'before', value: 'TIME', text: 'erase the arguments of calls made before this time' },
    { name: 'format', value: 'NAME', text: 'ndjson or csv (default: ndjson)' },
    { name: 'public', value: 'FILE', text: 'public key to verify with, from a source you trust' },
    {
      name: 'config',
      value: 'FILE',
      text: 'user configuration file to use instead of the default one',
    },
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
        return tail(word ?? args.value('entries') ?? '20', args, terminal);
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
  return new HostError('usage', 'name a subcommand: verify, tail, export, show, forget or acknowledge', {
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
  else if (verdict.ok) terminal.out(`${successText(verdict)}\n`);
  else terminal.err(`error: the audit log is not intact: ${visibleLine(verdict.problem ?? '')}\n`);
  return verdict.ok ? 0 : 6;
}

async function acknowledge(call: string | undefined, args: Arguments, terminal: Terminal): Promise<number> {
  if (call === undefined)
    throw new HostError('usage', 'name a call', { hint: 'see "toolwharf list --attention"' });
  const done = await withExistingHost(args, terminal, async (it) =>
    isDryRun(args)
      ? (await it.outcomes.unknown()).some((open) => open.call === call)
      : it.outcomes.acknowledge(call, terminal.principal),
  );
  if (!done)
    throw new HostError('not_found', `no call ${JSON.stringify(call.slice(0, 80))} has an unknown outcome`, {
      hint: 'see "toolwharf list --attention"',
    });
  if (isDryRun(args)) return reportDryRun(`acknowledge ${call}`, args, terminal);
  if (args.has('json')) terminal.out(`${JSON.stringify({ schema: 'toolwharf/acknowledge@1', call })}\n`);
  else
    terminal.out(`${visibleLine(call)} is acknowledged; the audit log still shows its outcome as unknown\n`);
  return 0;
}

function successText({ entries, checkpoints, sealed }: AuditVerdict): string {
  const signed =
    checkpoints === 0
      ? 'no checkpoint yet'
      : `${count(checkpoints, 'signed checkpoint')}, the last at entry ${sealed}`;
  return `the audit log is intact: ${count(entries, 'entry', 'entries')} in an unbroken hash chain; ${signed}`;
}

function count(number: number, singular: string, plural = `${singular}s`): string {
  return `${number} ${number === 1 ? singular : plural}`;
}

async function tail(limit: string, args: Arguments, terminal: Terminal): Promise<number> {
  if (!/^\d{1,6}$/.test(limit))
    throw new HostError('usage', `${JSON.stringify(count)} is not a number of entries`);
  const print = ({ seq, at, kind, body }: HashedAuditEntry) => {
    const parsed = JSON.parse(body);
    terminal.out(
      args.has('json')
        ? `${JSON.stringify({ seq, at, kind, body: parsed })}\n`
        : `${visibleLine(`${seq}  ${at}  ${kind.padEnd(8)}  ${JSON.stringify(parsed)}`)}\n`,
    );
  };
  return withAuditLog(args, terminal, async (log) => {
    let seen = Math.max(0, log.lastSeq() - Number(limit));
    for (;;) {
      for (const line of log.entries(seen)) {
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
    const finish = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', finish);
      resolve();
    };
    const timer = setTimeout(finish, milliseconds);
    signal.addEventListener('abort', finish, { once: true });
  });
}

async function exportAll(log: AuditReader, args: Arguments, terminal: Terminal): Promise<number> {
  const format = args.value('format') ?? 'ndjson';
  if (format !== 'ndjson' && format !== 'csv')
    throw new HostError('usage', `unknown format ${JSON.stringify(format)}`, {
      hint: 'use ndjson or csv',
    });
  const span = log.seqRange(
    parseAuditTime(args.value('since'), 'since'),
    parseAuditTime(args.value('until'), 'until'),
  );
  for await (const piece of exportLines(log, span, format)) {
    // Wait for a slow reader instead of buffering everything.
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
