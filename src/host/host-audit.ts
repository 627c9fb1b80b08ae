import type { AuditVerdict } from '../model/audit.js';
import type { Json, JsonObject } from '../model/json.js';
import { AuditLog, assertCovers, openIntents, tailAudit } from '../store/audit.js';
import { Checkpoints, checkpointPlaces } from '../store/checkpoints.js';
import type { Database } from '../store/database.js';
import { StoredAuditLog } from '../store/stored-audit-log.js';
import { UnknownOutcomes } from '../store/unknown-outcomes.js';
import type { AuditEntry, Outcomes } from './host.js';
import type { HostOptions } from './options.js';

/** The record as the host has it: the log that is written, and ways to look at it. */
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
  const places = checkpointPlaces(state, options);
  const checkpoints = await Checkpoints.open(places, now);
  const audit = new AuditLog(database, now, checkpoints);
  const unknown = new UnknownOutcomes(database);
  try {
    await assertCovers(database, checkpoints.last);
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
        await audit.append({ kind: 'operator', body: { act: 'acknowledge', callId: call, by } });
        return unknown.remove(call);
      },
    },
    async verify() {
      await audit.flush();
      const record = StoredAuditLog.open(state, places, true);
      try {
        return await record.verify();
      } finally {
        record.close();
      }
    },
    async tail(count) {
      await audit.flush();
      return (await tailAudit(database, count)).map(({ seq, at, kind, body }) => ({
        seq,
        at,
        kind,
        body: JSON.parse(body) as JsonObject,
      }));
    },
  };
}

/** Calls that were under way when the last host died are marked as such; nobody repeats them. */
async function recover(
  database: Database,
  audit: AuditLog,
  unknown: UnknownOutcomes,
  at: number,
): Promise<void> {
  for (const { callId, tool, principal } of await openIntents(database)) {
    await unknown.add({ call: String(callId), tool: String(tool), principal: String(principal), at });
    await audit.append({
      kind: 'recovery',
      body: { callId: callId as Json, tool: tool as Json, status: 'outcome_unknown' },
    });
  }
  await audit.append({ kind: 'start', body: { pid: process.pid } });
}
