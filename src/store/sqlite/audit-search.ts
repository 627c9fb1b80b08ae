import type { JsonObject } from '../../model/json.js';
import type { AuditTable } from '../state-tables.js';
import type { SqliteConnection } from './sqlite.js';

const pageSize = 500;
const columns = 'seq, at, kind, body, previous, hash';

/** Which entries to find. Absent members allow everything. */
export interface StoredAuditFilter {
  /** ISO 8601. */
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  readonly package?: string | undefined;
  /** The name of a tool, or `package/tool`. */
  readonly tool?: string | undefined;
  /** A principal, or its last part. */
  readonly client?: string | undefined;
  /** Only intents whose call ended with one of these statuses, and entries of other kinds. */
  readonly ended?: readonly string[] | undefined;
}

/** Kinds that are about the log or the host itself, or that belong to an earlier entry. */
const leftOut = ['start', 'checkpoint', 'anchor', 'outcome', 'recovery'];

/** The entries that fit, newest first. Times are in the order of the log, except where a clock was set back. */
export function* newestEntries(
  connection: SqliteConnection,
  filter: StoredAuditFilter,
): Generator<AuditTable> {
  const { sql, values } = newestQuery(filter);
  const { since } = filter;
  let before = Number.MAX_SAFE_INTEGER;
  for (;;) {
    const page = connection.all(sql, [before, ...values, pageSize]) as unknown as AuditTable[];
    for (const row of page) {
      const entry = row.kind === 'outcome' || row.kind === 'recovery' ? intentOf(connection, row) : row;
      if (entry !== undefined && (since === undefined || entry.at >= since) && fits(entry, filter))
        yield entry;
    }
    before = page.at(-1)?.seq ?? before;
    const isTooOld = since !== undefined && page.every((it) => it.at < since);
    if (page.length < pageSize || isTooOld) return;
  }
}

/** The outcome or recovery of a call, after its intent. It is usually near. */
export function endOfCall(
  connection: SqliteConnection,
  call: string,
  intent: number,
): AuditTable | undefined {
  const sql = `select ${columns} from audit where seq > ? and kind in ('outcome', 'recovery') and instr(body, ?) > 0 order by seq limit 1`;
  return connection.all(sql, [intent, JSON.stringify(call)])[0] as unknown as AuditTable | undefined;
}

function intentOf(connection: SqliteConnection, { seq, body }: AuditTable): AuditTable | undefined {
  const sql = `select ${columns} from audit where seq < ? and kind = 'intent' and instr(body, ?) > 0 order by seq desc limit 1`;
  const { callId } = JSON.parse(body) as JsonObject;
  return connection.all(sql, [seq, JSON.stringify(callId)])[0] as unknown as AuditTable | undefined;
}

/**
 * The page of entries before a `seq`, newest first. Bodies are canonical JSON, so SQLite can look for a member as text, which is
 * much faster than parsing every body. `fits` decides.
 */
function newestQuery(filter: StoredAuditFilter): { readonly sql: string; readonly values: string[] } {
  const texts = [
    ...(filter.package === undefined ? [] : [quotedStart(filter.package)]),
    ...(filter.tool === undefined ? [] : [quotedEnd(filter.tool)]),
    ...(filter.client === undefined ? [] : [quotedEnd(filter.client)]),
  ];
  const { until, ended } = filter;
  const kinds = ended === undefined ? leftOut : [...leftOut, 'intent'];
  const own = [`kind not in (${quotedList(kinds)})`, ...texts.map(() => 'instr(body, ?) > 0')];
  const ends = ended?.map((it) => `"status":${JSON.stringify(it)}`) ?? [];
  const end = [
    "kind in ('outcome', 'recovery')",
    `(${ends.map(() => 'instr(body, ?) > 0').join(' or ') || '0'})`,
  ];
  const wanted = ended === undefined ? [own] : [own, end];
  const conditions = [
    'seq < ?',
    ...(until === undefined ? [] : ['at <= ?']),
    `(${wanted.map((it) => `(${it.join(' and ')})`).join(' or ')})`,
  ];
  return {
    sql: `select ${columns} from audit where ${conditions.join(' and ')} order by seq desc limit ?`,
    values: [...(until === undefined ? [] : [until]), ...texts, ...ends],
  };
}

function quotedList(texts: readonly string[]): string {
  return texts.map((it) => `'${it}'`).join(', ');
}

function fits({ body }: AuditTable, filter: StoredAuditFilter): boolean {
  if (filter.package === undefined && filter.tool === undefined && filter.client === undefined) return true;
  const { tool, package: named, principal, by } = JSON.parse(body) as JsonObject;
  const [packageId, toolName] = splitTool(tool);
  const who = [principal, by].filter((it) => typeof it === 'string');
  return (
    (filter.package === undefined || packageId === filter.package || named === filter.package) &&
    (filter.tool === undefined || tool === filter.tool || toolName === filter.tool) &&
    (filter.client === undefined ||
      who.some((it) => it === filter.client || String(it).endsWith(`/${filter.client}`)))
  );
}

/** Tool names contain no slash; ids of packages may. */
function splitTool(tool: unknown): readonly [string?, string?] {
  if (typeof tool !== 'string') return [];
  const at = tool.lastIndexOf('/');
  return [tool.slice(0, Math.max(0, at)), tool.slice(at + 1)];
}

function quotedStart(text: string): string {
  return JSON.stringify(text).slice(0, -1);
}

function quotedEnd(text: string): string {
  return JSON.stringify(text).slice(1);
}
