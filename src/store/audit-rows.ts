import type { SqliteConnection, SqlValue } from './sqlite.js';

/** Rows per insert statement: running a statement costs more than the insert itself. */
const rowsPerInsert = 8;
const insertOne = insertionOf(1);
const insertSeveral = insertionOf(rowsPerInsert);

function insertionOf(count: number): string {
  const places = Array.from({ length: count }, () => '(?, ?, ?, ?, ?, ?)').join(', ');
  return `insert into audit (seq, at, kind, body, previous, hash) values ${places}`;
}

export function insertAuditRows(connection: SqliteConnection, rows: readonly SqlValue[][]): void {
  let at = 0;
  for (; at + rowsPerInsert <= rows.length; at += rowsPerInsert)
    connection.run(insertSeveral, rows.slice(at, at + rowsPerInsert).flat());
  for (; at < rows.length; at++) connection.run(insertOne, rows[at] as SqlValue[]);
}
