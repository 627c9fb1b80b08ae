import { randomBytes } from 'node:crypto';
import type { AuditStatus, AuditVerdict } from '../../model/audit.js';
import { HostError } from '../../model/host-error.js';
import type { Json, JsonObject } from '../../model/json.js';
import { AnchorRows } from '../../store/anchor-rows.js';
import type { AnchorPlace } from '../../store/audit-anchor.js';
import { readAuditTail, unfinishedCalls } from '../../store/audit-entries.js';
import type { AuditLog } from '../../store/audit-log.js';
import { type OpenedAuditLog, openAuditLog } from '../../store/audit-opening.js';
import { type RollbackFinding, rollbackBody } from '../../store/audit-rollback.js';
import { checkpointPaths } from '../../store/checkpoints.js';
import type { Database } from '../../store/database.js';
import { StoredAuditLog } from '../../store/stored-audit-log.js';
import { UnknownOutcomeRows } from '../../store/unknown-outcomes.js';
import type { AuditEntry, AuditProgressOptions, Outcomes } from '../host.js';
import type { HostOptions } from '../options.js';
import { AuditAnchors } from './audit-anchors.js';

/** The audit log of a running host, and ways to read it. */
export interface HostAudit {
  readonly audit: AuditLog;
  readonly outcomes: Outcomes;
  verify(options?: AuditProgressOptions): Promise<AuditVerdict>;
  status(): Promise<AuditStatus>;
  tail(count: number): Promise<readonly AuditEntry[]>;
  /** Writes a last checkpoint and the anchors. */
  close(): Promise<void>;
}

export interface HostAuditOptions {
  readonly state: string;
  readonly database: Database;
  readonly now: () => number;
  readonly locations: HostOptions['audit'];
  /** Where the newest checkpoint is anchored. */
  readonly places: readonly AnchorPlace[];
  /** Called with what shows a rollback, when it is found. */
  readonly onRollback?: ((message: string) => void) | undefined;
  readonly anchorDelaysMs?: readonly number[] | undefined;
  /** Whether the start is recorded only together with something else. */
  readonly onlyLooks?: boolean | undefined;
}

export async function openHostAudit(options: HostAuditOptions): Promise<HostAudit> {
  const { state, database, now, places } = options;
  const paths = checkpointPaths(state, options.locations);
  const opened = await openAuditLog(database, paths, now, () => randomBytes(16).toString('hex'));
  const { audit, checkpoints } = opened;
  const unknown = new UnknownOutcomeRows(database);
  let anchors: AuditAnchors;
  try {
    anchors = await openAnchors(options, opened, paths.folder);
    const isCurrent = opened.isSealed && opened.lost === undefined && anchors.isCurrent;
    await recover(database, audit, unknown, { at: now(), mayWait: options.onlyLooks === true && isCurrent });
  } catch (error) {
    await checkpoints.close();
    throw error;
  }
  return {
    audit,
    outcomes: {
      unknown: () => unknown.list(),
      async acknowledge(call, by) {
        if (!(await unknown.list()).some((it) => it.call === call)) return false;
        await audit.append({ kind: 'operator', body: { operation: 'acknowledge', callId: call, by } });
        return unknown.remove(call);
      },
    },
    async verify({ onProgress, signal } = {}) {
      await audit.flush();
      const log = StoredAuditLog.open(state, paths, { follow: true, places });
      try {
        return await log.verify({
          // Reading blocks the host, so other work gets its turn.
          onEntries: async (done, total) => {
            if (signal?.aborted === true) throw new HostError('canceled', 'the verification was canceled');
            onProgress?.({ step: 'check', detail: 'entries of the audit log', done, total });
            await new Promise((resolve) => setImmediate(resolve));
          },
        });
      } finally {
        log.close();
      }
    },
    async status() {
      await audit.flush();
      const size = checkpoints.last?.size ?? 0;
      const [newest] = await readAuditTail(database, 1);
      const covered = await database
        .selectFrom('audit')
        .select('at')
        .where('seq', '=', size)
        .executeTakeFirst();
      return {
        entries: newest?.seq ?? 0,
        checkpoint: covered === undefined ? null : { size, at: Date.parse(covered.at) },
      };
    },
    async tail(count) {
      await audit.flush();
      return (await readAuditTail(database, count)).map(({ seq, at, kind, body }) => ({
        seq,
        at,
        kind,
        body: JSON.parse(body) as JsonObject,
      }));
    },
    async close() {
      await audit.close();
      await anchors.close();
    },
  };
}

/** Compares the log with its anchors, and has everything recorded that shows a rollback, now and later. */
async function openAnchors(
  options: HostAuditOptions,
  opened: OpenedAuditLog,
  checkpointFolder: string,
): Promise<AuditAnchors> {
  const { audit, checkpoints, compared, lost } = opened;
  const record = rollbackRecorder(options, audit);
  if (lost !== undefined) await record(lost);
  const anchors = await AuditAnchors.open({
    state: options.state,
    places: options.places,
    rows: new AnchorRows(options.database, options.now),
    key: checkpoints.key,
    compared,
    onFinding: record,
    onStatus: (place, problem) => {
      const body = problem === undefined ? { place, status: 'works again' } : { place, problem };
      audit.append({ kind: 'anchor', body }).catch(() => {});
    },
    retryDelaysMs: options.anchorDelaysMs,
  });
  checkpoints.listener = {
    written: (checkpoint) => anchors.update(checkpoint),
    lost: (problem) => {
      const message = `checkpoints of the audit log were removed: ${problem}`;
      record({ kind: 'checkpoints', place: checkpointFolder, message }).catch(() => {});
    },
  };
  return anchors;
}

/**
 * Writes findings to the log, each once. The host goes on: its operator may have restored a backup, and refusing to run
 * would not bring entries back. But the log must not sign other entries under the name that signed the lost ones, so it
 * gets a new name.
 */
function rollbackRecorder(
  { database, onRollback }: HostAuditOptions,
  audit: AuditLog,
): (finding: RollbackFinding) => Promise<void> {
  let isRenamed = false;
  return async (finding) => {
    const stored = await database.audit.rollbacks();
    // Only what is still shown: an attacker could write an acknowledged finding to the log in advance.
    const isStored = stored.some(
      (it) =>
        !it.isAcknowledged &&
        it.kind === finding.kind &&
        it.kind !== 'checkpoints' &&
        it.place === finding.place &&
        it.note === finding.note,
    );
    if (isStored) return;
    const forks = finding.kind === 'shorter' || finding.kind === 'different';
    const log = forks && !isRenamed ? randomBytes(16).toString('hex') : undefined;
    isRenamed ||= forks;
    try {
      await audit.append({ kind: 'rollback', body: rollbackBody(finding, log) });
    } finally {
      // The person is told even if the log cannot be written.
      onRollback?.(finding.message);
    }
  };
}

/**
 * Marks calls that were running when the last host died as having an unknown outcome. Only those of idempotent tools may
 * run again (`host/call/repeat.ts`).
 */
async function recover(
  database: Database,
  audit: AuditLog,
  unknown: UnknownOutcomeRows,
  { at, mayWait }: { readonly at: number; readonly mayWait: boolean },
): Promise<void> {
  const { calls, isUnused } = await unfinishedCalls(database);
  for (const { callId, tool, principal } of calls) {
    await unknown.add({ call: String(callId), tool: String(tool), principal: String(principal), at });
    await audit.append({
      kind: 'recovery',
      body: { callId: callId as Json, tool: tool as Json, status: 'outcome_unknown' },
    });
  }
  const start = { kind: 'start', body: { pid: process.pid } } as const;
  // If a checkpoint or an anchor is behind, the entry brings it up to date. If there were calls, the next start need not
  // read them again.
  if (mayWait && isUnused) audit.announce(start);
  else await audit.append(start);
}
