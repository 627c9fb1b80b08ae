import type { JsonObject } from '../model/json.js';
import type { Database } from './database.js';
import type { AuditTable } from './state-tables.js';

/** The newest entries, in order. */
export async function readAuditTail(database: Database, count: number): Promise<AuditTable[]> {
  const rows = await database.selectFrom('audit').selectAll().orderBy('seq', 'desc').limit(count).execute();
  return rows.reverse();
}

interface UnfinishedCalls {
  readonly calls: readonly JsonObject[];
  /** Whether nothing was called since the last start of a host. */
  readonly isUnused: boolean;
}

/** Intents since the last start of a host that have no outcome entry. What these calls did is unknown. */
export async function unfinishedCalls(database: Database): Promise<UnfinishedCalls> {
  const started = await database
    .selectFrom('audit')
    .select((it) => it.fn.max('seq').as('seq'))
    .where('kind', '=', 'start')
    .executeTakeFirst();
  const rows = await database
    .selectFrom('audit')
    .select(['kind', 'body'])
    .where('seq', '>', started?.seq ?? 0)
    .where('kind', 'in', ['intent', 'outcome'])
    .orderBy('seq')
    .execute();
  const unfinished = new Map<string, JsonObject>();
  for (const { kind, body } of rows) {
    const parsed = JSON.parse(body) as JsonObject;
    if (kind === 'intent') unfinished.set(String(parsed.callId), parsed);
    else unfinished.delete(String(parsed.callId));
  }
  return { calls: [...unfinished.values()], isUnused: started?.seq != null && rows.length === 0 };
}
