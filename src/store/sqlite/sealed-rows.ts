// Rows with sealed arguments. They are stored together with the audit entry of their call, and their bytes are overwritten.
import type { RepeatableCallChange, SealedArgumentsInput } from '../call-tables.js';
import type { SqliteConnection } from './sqlite.js';

const callInsertion = `insert into repeatable_call (call, principal, client, tool, definition, arguments_digest, policy,
  credentials, digest, approval, timeout_ms, starts, answered_at, key, nonce, sealed, at)
  values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;

const argumentsInsertion =
  'insert into sealed_arguments (call_id, audit_seq, key, nonce, sealed, at) values (?, ?, ?, ?, ?, ?)';

/** Runs in the transaction of the entry: both are stored, or neither. */
export function changeRepeatableCall(connection: SqliteConnection, change: RepeatableCallChange): void {
  switch (change.kind) {
    case 'started': {
      const it = change.row;
      const binding = [it.principal, it.client, it.tool, it.definition, it.arguments_digest, it.policy];
      const rest = [it.credentials, it.digest, it.approval, it.timeout_ms, it.starts, it.answered_at];
      connection.run(callInsertion, [it.call, ...binding, ...rest, it.key, it.nonce, it.sealed, it.at]);
      return;
    }
    case 'started-again':
      connection.run('update repeatable_call set starts = starts + 1 where call = ?', [change.call]);
      return;
    case 'ended':
      eraseRepeatableCall(connection, change.call);
      connection.run('delete from unknown_outcome where call = ?', [change.call]);
      return;
  }
}

/** Runs in the transaction of the call's intent entry: both are stored, or neither. */
export function insertSealedArguments(
  connection: SqliteConnection,
  input: SealedArgumentsInput,
  auditSeq: number,
): void {
  const { call_id, key, nonce, sealed, at } = input;
  connection.run(argumentsInsertion, [call_id, auditSeq, key, nonce, sealed, at]);
}

/** The bytes are overwritten in the file. */
export function eraseRepeatableCall(connection: SqliteConnection, call: string): void {
  connection.exec('pragma secure_delete = on');
  try {
    connection.run('delete from repeatable_call where call = ?', [call]);
  } finally {
    connection.exec('pragma secure_delete = off');
  }
}
