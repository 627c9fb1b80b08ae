// Statements on the audit log, for a host and for commands that read it without one.
import { type AuditHead, HeadReading } from '../audit-head.js';
import {
  findingsOf,
  type LogName,
  logNamesOf,
  type RollbackRow,
  type StoredRollback,
} from '../audit-rollback.js';
import type { AuditPage, HeadOptions } from '../audit-statements.js';
import type { AuditTable, AuditTreeTable } from '../state-tables.js';
import type { SqliteConnection } from './sqlite.js';

const columns = 'seq, at, kind, body, previous, hash';
const hashesPerPage = 5000;

export function readAuditTree(
  connection: SqliteConnection,
): Pick<AuditTreeTable, 'log' | 'checkpoint' | 'edge'> | undefined {
  const [row] = connection.all('select log, checkpoint, edge from audit_tree', []);
  return (
    row && {
      log: String(row.log),
      checkpoint: Number(row.checkpoint),
      edge: row.edge as unknown as Uint8Array,
    }
  );
}

/** Reads the head of the stored entries, see `AuditStatements`. */
export function readAuditHead(
  connection: SqliteConnection,
  { rebuild = false, visit }: HeadOptions = {},
): AuditHead {
  const reading = new HeadReading(rebuild ? undefined : readAuditTree(connection), visit);
  for (const it of hashesAfter(connection, reading.start)) reading.add(it);
  return reading.end();
}

/** Hashes of the entries after `seq`, in order. */
export function* hashesAfter(
  connection: SqliteConnection,
  seq: number,
): Generator<{ readonly seq: number; readonly hash: string }> {
  let after = seq;
  for (;;) {
    const page = readHashes(connection, after);
    yield* page;
    after = page.at(-1)?.seq ?? after;
    if (page.length < hashesPerPage) return;
  }
}

/** The next hashes after `seq`, in order, at most some thousands. */
export function readHashes(
  connection: SqliteConnection,
  seq: number,
): { readonly seq: number; readonly hash: string }[] {
  const sql = 'select seq, hash from audit where seq > ? order by seq limit ?';
  return connection.all(sql, [seq, hashesPerPage]) as unknown as { seq: number; hash: string }[];
}

export function hasEntries(connection: SqliteConnection): boolean {
  return connection.all('select seq from audit limit 1', []).length > 0;
}

export function newestSeq(connection: SqliteConnection): number {
  return Number(connection.all('select max(seq) as seq from audit', [])[0]?.seq ?? 0);
}

/** Entries after `after`, up to and including `through`, in order. */
export function entriesBetween(
  connection: SqliteConnection,
  after: number,
  through: number,
  limit: number,
): AuditTable[] {
  const sql = `select ${columns} from audit where seq > ? and seq <= ? order by seq limit ?`;
  return connection.all(sql, [after, through, limit]) as unknown as AuditTable[];
}

export function entriesOnPage(
  connection: SqliteConnection,
  { after, limit, where }: AuditPage,
): AuditTable[] {
  const texts = 'texts' in where ? where.texts : [];
  const wanted =
    'kinds' in where
      ? `kind in (${where.kinds.map((it) => `'${it}'`).join(', ')})`
      : `(${texts.map(() => 'instr(body, ?) > 0').join(' or ')})`;
  const sql = `select ${columns} from audit where seq > ? and ${wanted} order by seq limit ?`;
  return connection.all(sql, [after, ...texts, limit]) as unknown as AuditTable[];
}

/** Entries whose body contains a text, in order. */
export function entriesContaining(connection: SqliteConnection, text: string): AuditTable[] {
  const sql = `select ${columns} from audit where instr(body, ?) > 0 order by seq`;
  return connection.all(sql, [text]) as unknown as AuditTable[];
}

/** `seq` of the first and last entry in a time range. Undefined if there is none. */
export function seqRange(
  connection: SqliteConnection,
  since: string,
  until: string,
): { readonly first: number; readonly last: number } | undefined {
  const sql = 'select min(seq) as first, max(seq) as last from audit where at >= ? and at <= ?';
  const [row] = connection.all(sql, [since, until]);
  return row?.first == null ? undefined : { first: Number(row.first), last: Number(row.last) };
}

/** All findings, oldest first. */
export function readRollbacks(connection: SqliteConnection): StoredRollback[] {
  return findingsOf(rollbackRows(connection));
}

/** All names of the log, in order. */
export function readLogNames(connection: SqliteConnection, first: string): LogName[] {
  return logNamesOf(rollbackRows(connection), first);
}

function rollbackRows(connection: SqliteConnection): RollbackRow[] {
  const rows = connection.all("select seq, at, body from audit where kind = 'rollback' order by seq", []);
  return rows as unknown as RollbackRow[];
}

/** Places that have an anchor. */
export function anchoredPlaces(connection: SqliteConnection): ReadonlySet<string> {
  return new Set(connection.all('select place from audit_anchor', []).map((it) => String(it.place)));
}

/** Whether the sealed arguments of a call are stored. The database of an earlier version does not have their table. */
export function hasSealedArguments(connection: SqliteConnection, call: string): boolean {
  const table = "select 1 from sqlite_master where type = 'table' and name = 'sealed_arguments'";
  if (connection.all(table, []).length === 0) return false;
  return connection.all('select 1 from sealed_arguments where call_id = ?', [call]).length > 0;
}

/** What `work` reads belongs together. */
export async function inSnapshot<T>(connection: SqliteConnection, work: () => Promise<T>): Promise<T> {
  connection.exec('begin');
  try {
    return await work();
  } finally {
    connection.exec('rollback');
  }
}
