import type { AuditVerdict } from '../../model/audit.js';
import type { Json, JsonObject } from '../../model/json.js';
import { AuditLog, assertMatchesCheckpoint, readAuditTail, unfinishedCalls } from '../../store/audit-log.js';
import { Checkpoints, checkpointPaths } from '../../store/checkpoints.js';
import type { Database } from '../../store/database.js';
import { StoredAuditLog } from '../../store/stored-audit-log.js';
import { UnknownOutcomeRows } from '../../store/unknown-outcomes.js';
import type { AuditEntry, Outcomes } from '../host.js';
import type { HostOptions } from '../options.js';

/** The audit log of a running host, and ways to read it. */
export interface HostAudit {
  readonly audit: AuditLog;
  readonly outcomes: Outcomes;
  verify(): Promise<AuditVerdict>;
  tail(count: number): Promise<readonly AuditEntry[]>;
}

export async function openHostAudit(
  state: string,
  database: Database,
  now: () => number,
  options: HostOptions['audit'],
): Promise<HostAudit> {
  const paths = checkpointPaths(state, options);
  const checkpoints = await Checkpoints.open(paths, now);
  const audit = new AuditLog(database, now, checkpoints);
  const unknown = new UnknownOutcomeRows(database);
  try {
    await assertMatchesCheckpoint(database, checkpoints.last);
    await recover(database, audit, unknown, now());
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
    async verify() {
      await audit.flush();
      const log = StoredAuditLog.open(state, paths, true);
      try {
        return await log.verify();
      } finally {
        log.close();
      }
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
  };
}

/** Marks calls that were running when the last host died as having an unknown outcome. They never run again. */
async function recover(
  database: Database,
  audit: AuditLog,
  unknown: UnknownOutcomeRows,
  at: number,
): Promise<void> {
  for (const { callId, tool, principal } of await unfinishedCalls(database)) {
    await unknown.add({ call: String(callId), tool: String(tool), principal: String(principal), at });
    await audit.append({
      kind: 'recovery',
      body: { callId: callId as Json, tool: tool as Json, status: 'outcome_unknown' },
    });
  }
  await audit.append({ kind: 'start', body: { pid: process.pid } });
}
