import type { AuditFilter, AuditReader } from '../../../host/host.js';
import { storedStatus } from '../../../model/call-status.js';
import { HostError } from '../../../model/host-error.js';
import type { JsonObject } from '../../../model/json.js';
import { type AuditLine, auditLine } from '../../print/audit-line.js';
import { printAuditLines } from '../../print/audit-lines.js';
import { parseAuditTime, withAuditLog } from '../audit-log.js';
import type { Arguments } from '../command/command.js';
import type { Terminal } from '../terminal/terminal.js';
import { terminalStyle } from '../terminal/terminal-style.js';

const defaultCount = 50;

/** Prints calls and decisions for people, one line each, oldest first. */
export async function printLog(args: Arguments, terminal: Terminal): Promise<number> {
  const statuses = args.values('status').flatMap((it) => it.split(','));
  const filter: AuditFilter = {
    since: parseAuditTime(args.value('since'), 'since', Date.now()),
    until: parseAuditTime(args.value('until'), 'until', Date.now()),
    package: args.value('package'),
    tool: args.value('tool'),
    client: args.value('client'),
    ended: endedWith(statuses),
  };
  const count = countOf(args.value('entries'));
  return withAuditLog(args, terminal, async (log) => {
    const { lines, isMore } = newestLines(log, filter, statuses, count);
    if (args.has('json')) {
      terminal.out(`${JSON.stringify({ schema: 'toolwharf/audit-log@1', lines, more: isMore })}\n`);
      return 0;
    }
    terminal.out(
      printAuditLines(lines, {
        style: terminalStyle(args, terminal),
        // A program that reads the output gets whole lines.
        columns: terminal.stdoutIsTerminal ? terminal.columns : Number.POSITIVE_INFINITY,
        offsetMinutes: (at) => -at.getTimezoneOffset(),
      }),
    );
    if (args.has('quiet')) return 0;
    if (lines.length === 0) terminal.err('no entry of the audit log fits\n');
    else if (isMore) terminal.err(`showing the newest ${lines.length}; -n COUNT shows more\n`);
    return 0;
  });
}

function newestLines(
  log: AuditReader,
  filter: AuditFilter,
  statuses: readonly string[],
  count: number,
): { readonly lines: readonly AuditLine[]; readonly isMore: boolean } {
  const found: AuditLine[] = [];
  for (const { seq, at, kind, body } of log.newest(filter)) {
    const parsed = JSON.parse(body) as JsonObject;
    const line = auditLine(
      { seq, at, kind, body: parsed },
      kind === 'intent' ? endOf(log, parsed, seq) : undefined,
    );
    if (statuses.length > 0 && !statuses.includes(line.status)) continue;
    if (found.length === count) return { lines: inOrder(found), isMore: true };
    found.push(line);
  }
  return { lines: inOrder(found), isMore: false };
}

/** The log can look for how a call ended, but not for calls without an end. */
function endedWith(statuses: readonly string[]): readonly string[] | undefined {
  return statuses.length === 0 || statuses.includes('running') ? undefined : statuses.map(storedStatus);
}

function endOf(log: AuditReader, { callId }: JsonObject, intent: number): JsonObject | undefined {
  const end = typeof callId === 'string' ? log.endOfCall(callId, intent) : undefined;
  return end === undefined ? undefined : (JSON.parse(end.body) as JsonObject);
}

function countOf(written: string | undefined): number {
  if (written === undefined) return defaultCount;
  if (!/^[1-9]\d{0,5}$/.test(written))
    throw new HostError('usage', `${JSON.stringify(written)} is not a number of entries`);
  return Number(written);
}

function inOrder(lines: readonly AuditLine[]): readonly AuditLine[] {
  return [...lines].sort((a, b) => a.seq - b.seq);
}
