import { endTransaction, type SqliteConnection, type SqlValue } from './sqlite.js';

/** Rows per insert statement: running a statement costs more than the insert itself. */
const rowsPerInsert = 8;
/** The statement for each number of rows. */
const insertions = Array.from({ length: rowsPerInsert }, (_, before) => insertionOf(before + 1));

function insertionOf(count: number): string {
  const places = Array.from({ length: count }, () => '(?, ?, ?, ?, ?, ?)').join(', ');
  return `insert into audit (seq, at, kind, body, previous, hash) values ${places}`;
}

/** Stores all rows, and what belongs to them, or nothing. */
export function storeAuditRows(
  connection: SqliteConnection,
  rows: readonly SqlValue[][],
  others: readonly (() => void)[],
): void {
  // One statement is a transaction by itself, and costs a fraction of four.
  if (others.length === 0 && rows.length <= rowsPerInsert) {
    insertRows(connection, rows);
    return;
  }
  connection.run('begin immediate', []);
  try {
    for (const store of others) store();
    insertRows(connection, rows);
    connection.run('commit', []);
  } catch (error) {
    endTransaction(connection);
    throw error;
  }
}

function insertRows(connection: SqliteConnection, rows: readonly SqlValue[][]): void {
  for (let at = 0; at < rows.length; at += rowsPerInsert) {
    const part = rows.slice(at, at + rowsPerInsert);
    connection.run(insertions[part.length - 1] as string, part.flat());
  }
}
