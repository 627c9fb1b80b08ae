// Whether the audit log is intact, and proofs of that for others.
import type { AuditReader } from '../../../host/host.js';
import type { AuditVerdict } from '../../../model/audit.js';
import { HostError } from '../../../model/host-error.js';
import { visibleLine } from '../../print/visible.js';
import { withAuditLog } from '../audit-log.js';
import type { Arguments } from '../command/command.js';
import type { Terminal } from '../terminal/terminal.js';

/** Verifies the audit log of the state directory, or an export. Exit code 6 if it is not intact. */
export async function verify(file: string | undefined, args: Arguments, terminal: Terminal): Promise<number> {
  const options = { publicKey: args.value('public'), anchor: args.value('anchor') };
  const verdict =
    file === undefined
      ? await withAuditLog(args, terminal, (it) => it.verify(options))
      : await terminal.verifyExport(file, options);
  for (const it of verdict.warnings ?? []) terminal.err(`warning: ${visibleLine(it)}\n`);
  if (args.has('json')) terminal.out(`${JSON.stringify({ schema: 'toolwharf/audit@1', ...verdict })}\n`);
  else if (verdict.ok) terminal.out(`${successText(verdict)}\n`);
  else terminal.err(`error: the audit log is not intact: ${visibleLine(verdict.problem ?? '')}\n`);
  return verdict.ok ? 0 : 6;
}

function successText({ entries, checkpoints, sealed, anchors, acknowledged }: AuditVerdict): string {
  const signed =
    checkpoints === 0
      ? 'no checkpoint yet'
      : `${count(checkpoints, 'signed checkpoint')}, the last at entry ${sealed}`;
  const anchored =
    anchors === 0
      ? 'no anchor to compare with'
      : anchors === 1
        ? '1 anchor agrees'
        : `${anchors} anchors agree`;
  const earlier =
    acknowledged === 0 ? '' : `; ${count(acknowledged, 'acknowledged rollback')}, see "audit tail"`;
  return `the audit log is intact: ${count(entries, 'entry', 'entries')} in an unbroken hash chain; ${signed}; ${anchored}${earlier}`;
}

function count(number: number, singular: string, plural = `${singular}s`): string {
  return `${number} ${number === 1 ? singular : plural}`;
}

/** Prints the newest checkpoint exactly as it was signed, or the key that verifies it. */
export async function printCheckpoint(
  log: AuditReader,
  args: Arguments,
  terminal: Terminal,
): Promise<number> {
  const checkpoint = await log.checkpoint();
  const verifierKey = log.verifierKey();
  if (checkpoint === undefined || verifierKey === undefined)
    throw new HostError('not_found', 'the audit log has no checkpoint yet', {
      hint: 'a host writes one two seconds after an entry, and when it stops',
    });
  const { size, root, note } = checkpoint;
  if (args.has('json')) {
    const document = { schema: 'toolwharf/audit-checkpoint@1', size, root, note, verifierKey };
    terminal.out(`${JSON.stringify(document)}\n`);
  } else terminal.out(args.has('key') ? `${verifierKey}\n` : note);
  return 0;
}

/** Prints a proof about an entry, or about the growth of the log. */
export async function prove(
  log: AuditReader,
  entry: string | undefined,
  args: Arguments,
  terminal: Terminal,
): Promise<number> {
  const from = args.value('from');
  const number = entry ?? from ?? '';
  if ((entry === undefined) === (from === undefined) || !/^\d{1,15}$/.test(number))
    throw new HostError('usage', 'name the number of an entry, or a number of entries with --from', {
      hint: 'see "toolwharf audit --help"',
    });
  const proof = await (from === undefined ? log.proveEntry(Number(number)) : log.proveGrowth(Number(number)));
  if (args.has('json')) terminal.out(`${JSON.stringify({ schema: 'toolwharf/audit-proof@1', proof })}\n`);
  else terminal.out(proof);
  return 0;
}
