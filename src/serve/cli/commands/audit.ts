import type { AuditReader, HashedAuditEntry } from '../../../host/host.js';
import { HostError } from '../../../model/host-error.js';
import { exportLines } from '../../print/audit-export.js';
import { visibleLine } from '../../print/visible.js';
import { parseAuditTime, withAuditLog } from '../audit-log.js';
import type { Arguments, Command } from '../command/command.js';
import { dryRunOption } from '../dry-run.js';
import { pinOption } from '../terminal/operator.js';
import type { Terminal } from '../terminal/terminal.js';
import { acknowledge } from './audit-acknowledge.js';
import { forgetArguments, showCall } from './audit-call.js';
import { printLog } from './audit-list.js';
import { printCheckpoint, prove, verify } from './audit-proof.js';

const followMs = 250;
const logFilters = ['package', 'tool', 'client', 'status'];

export const audit: Command = {
  name: 'audit',
  summary: 'Read, export and verify the audit log of all calls. Works without a running host.',
  usage:
    'audit log [--package PKG] [--tool TOOL] [--client NAME] [--status STATUS] [--since TIME] | verify [FILE] | tail [COUNT] [--follow] | export [--since TIME] [--until TIME] | checkpoint [--key] | prove ENTRY | prove --from COUNT | show CALL [--open] | forget --before TIME | acknowledge CALL|ENTRY',
  examples: [
    { line: 'toolwharf audit log --since 2h', text: 'show the calls of the last two hours, one line each' },
    {
      line: 'toolwharf audit log --client claude-code --status error,denied',
      text: 'show what did not work for one client',
    },
    { line: 'toolwharf audit verify', text: 'check the hash chain, the signed checkpoints and the anchors' },
    { line: 'toolwharf audit tail -n 100 --json', text: 'print the newest 100 entries as JSON for a script' },
    { line: 'toolwharf audit tail --follow', text: 'keep printing new entries' },
    {
      line: 'toolwharf audit export --since 2026-01-01 > audit.ndjson',
      text: 'export entries with their proof',
    },
    { line: 'toolwharf audit verify audit.ndjson', text: 'verify an exported file' },
    {
      line: 'toolwharf audit checkpoint > kept-elsewhere.txt',
      text: 'print the newest signed checkpoint, to keep it on another machine',
    },
    {
      line: 'toolwharf audit verify --anchor kept-elsewhere.txt',
      text: 'check that the log still has everything that checkpoint covers',
    },
    { line: 'toolwharf audit checkpoint --key', text: 'print the key that others verify checkpoints with' },
    { line: 'toolwharf audit prove 42', text: 'prove that the newest checkpoint covers an entry' },
    { line: 'toolwharf audit prove --from 1000', text: 'prove to a witness that the log only grew' },
    { line: 'toolwharf audit show call_1f…', text: 'show all entries about one call' },
    { line: 'toolwharf audit show call_1f… --open', text: 'also show its arguments, if they are stored' },
    {
      line: 'toolwharf audit forget --before 2026-01-01',
      text: 'erase stored arguments; the log stays complete',
    },
    { line: 'toolwharf audit acknowledge call_1f…', text: 'mark a call with unknown outcome as checked' },
    { line: 'toolwharf audit acknowledge 57', text: 'mark a rollback that entry 57 reports as checked' },
  ],
  options: [
    {
      name: 'entries',
      short: 'n',
      value: 'COUNT',
      text: 'how many of the newest entries (default: 20; for log: 50)',
    },
    { name: 'package', value: 'PKG', text: 'only calls of this package' },
    { name: 'tool', value: 'TOOL', text: 'only calls of this tool, with or without its package' },
    { name: 'client', value: 'NAME', text: 'only what this client did; "audit log --json" shows full names' },
    {
      name: 'status',
      value: 'STATUS',
      multiple: true,
      text: 'only with this status: ok, error, timeout, denied, rejected, held, running, unknown, operator; several with commas',
    },
    { name: 'follow', short: 'f', text: 'keep printing new entries as they arrive' },
    {
      name: 'since',
      value: 'TIME',
      text: 'from this time, such as 2026-01-31, 2026-01-31T12:00:00Z or 2h for two hours ago',
    },
    { name: 'until', value: 'TIME', text: 'up to this time' },
    { name: 'open', text: 'show the arguments too, if audit.arguments stores them; this is logged' },
    { name: 'before', value: 'TIME', text: 'erase the arguments of calls made before this time' },
    { name: 'format', value: 'NAME', text: 'ndjson or csv (default: ndjson)' },
    { name: 'public', value: 'FILE', text: 'public key to verify with, from a source you trust' },
    { name: 'anchor', value: 'FILE', text: 'checkpoint that was kept elsewhere, to compare the log with' },
    { name: 'key', text: 'print the verifier key instead of the checkpoint' },
    { name: 'from', value: 'COUNT', text: 'prove that the log only grew since it had this many entries' },
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
    const alone = verb === 'log' || verb === 'export' || verb === 'forget' || verb === 'checkpoint';
    if (more.length > 0 || (alone && word !== undefined)) throw usage();
    const wrong = verb === 'log' ? undefined : logFilters.find((it) => args.has(it));
    if (wrong !== undefined) throw new HostError('usage', `--${wrong} works only with "audit log"`);
    switch (verb) {
      case 'log':
        return printLog(args, terminal);
      case 'verify':
        return verify(word, args, terminal);
      case 'tail':
        return tail(word ?? args.value('entries') ?? '20', args, terminal);
      case 'checkpoint':
        return withAuditLog(args, terminal, (it) => printCheckpoint(it, args, terminal));
      case 'prove':
        return withAuditLog(args, terminal, (it) => prove(it, word, args, terminal));
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
  return new HostError(
    'usage',
    'name a subcommand: log, verify, tail, export, checkpoint, prove, show, forget or acknowledge',
    {
      hint: 'see "toolwharf audit --help"',
    },
  );
}

async function tail(limit: string, args: Arguments, terminal: Terminal): Promise<number> {
  if (!/^\d{1,6}$/.test(limit))
    throw new HostError('usage', `${JSON.stringify(limit)} is not a number of entries`);
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
