import type { AuditVerdict } from '../model/audit.js';
import type { Json, JsonObject } from '../model/json.js';
import { AuditLog, assertCovers, openIntents, tailAudit } from '../store/audit.js';
import { Checkpoints, checkpointPlaces } from '../store/checkpoints.js';
import type { Database } from '../store/database.js';
import { Record } from '../store/record.js';
import type { AuditLine } from './host.js';
import type { HostOptions } from './options.js';

/** The record as the host has it: the log that is written, and ways to look at it. */
export interface HostRecord {
  readonly audit: AuditLog;
  verify(): Promise<AuditVerdict>;
  tail(count: number): Promise<readonly AuditLine[]>;
}

export async function openRecord(
  state: string,
  database: Database,
  now: () => number,
  options: HostOptions['audit'],
): Promise<HostRecord> {
  const places = checkpointPlaces(state, options);
  const checkpoints = await Checkpoints.open(places, now);
  const audit = new AuditLog(database, now, checkpoints);
  try {
    await assertCovers(database, checkpoints.last);
    await recover(database, audit);
  } catch (error) {
    await checkpoints.close();
    throw error;
  }
  return {
    audit,
    async verify() {
      await audit.flush();
      const record = Record.open(state, places, true);
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
async function recover(database: Database, audit: AuditLog): Promise<void> {
  for (const intent of await openIntents(database)) {
    await audit.append({
      kind: 'recovery',
      body: { callId: intent.callId as Json, tool: intent.tool as Json, status: 'outcome_unknown' },
    });
  }
  await audit.append({ kind: 'start', body: { pid: process.pid } });
}
