import type { SqliteConnection, SqlValue } from './sqlite.js';

/** Rows per insert statement: running a statement costs more than the insert itself. */
export const rowsPerInsert = 8;
/** The statement for each number of rows. */
const insertions = Array.from({ length: rowsPerInsert }, (_, before) => insertionOf(before + 1));

function insertionOf(count: number): string {
  const places = Array.from({ length: count }, () => '(?, ?, ?, ?, ?, ?)').join(', ');
  return `insert into audit (seq, at, kind, body, previous, hash) values ${places}`;
}

/** Up to `rowsPerInsert` rows are one statement: outside of a transaction it is its own, with all rows or none. */
export function insertAuditRows(connection: SqliteConnection, rows: readonly SqlValue[][]): void {
  for (let at = 0; at < rows.length; at += rowsPerInsert) {
    const part = rows.slice(at, at + rowsPerInsert);
    connection.run(insertions[part.length - 1] as string, part.flat());
  }
}
