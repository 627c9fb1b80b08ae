import type { AuditAddition, AuditBatch, AuditRow } from '../audit-statements.js';
import { changeRepeatableCall, insertSealedArguments } from './sealed-rows.js';
import { endTransaction, type SqliteConnection } from './sqlite.js';

/** Rows per insert statement: running a statement costs more than the insert itself. */
const rowsPerInsert = 8;
/** The statement for each number of rows. */
const insertions = Array.from({ length: rowsPerInsert }, (_, before) => insertionOf(before + 1));

function insertionOf(count: number): string {
  const places = Array.from({ length: count }, () => '(?, ?, ?, ?, ?, ?)').join(', ');
  return `insert into audit (seq, at, kind, body, previous, hash) values ${places}`;
}

/** Stores all rows, and what belongs to them, or nothing. */
export function storeAuditBatch(connection: SqliteConnection, { rows, additions }: AuditBatch): void {
  // One statement is a transaction by itself, and costs a fraction of four.
  if (additions.length === 0 && rows.length <= rowsPerInsert) {
    insertRows(connection, rows);
    return;
  }
  connection.run('begin immediate', []);
  try {
    for (const it of additions) storeAddition(connection, it);
    insertRows(connection, rows);
    connection.run('commit', []);
  } catch (error) {
    endTransaction(connection);
    throw error;
  }
}

function storeAddition(connection: SqliteConnection, addition: AuditAddition): void {
  switch (addition.type) {
    case 'checkpoint':
      connection.run('update audit_tree set checkpoint = ?, edge = ?', [addition.size, addition.edge]);
      return;
    case 'sealed arguments':
      insertSealedArguments(connection, addition.input, addition.seq);
      return;
    case 'repeatable call':
      changeRepeatableCall(connection, addition.change);
      return;
  }
}

function insertRows(connection: SqliteConnection, rows: readonly AuditRow[]): void {
  for (let at = 0; at < rows.length; at += rowsPerInsert) {
    const part = rows.slice(at, at + rowsPerInsert);
    connection.run(insertions[part.length - 1] as string, part.flat());
  }
}
