import type { AuditAddition } from '../audit-statements.js';
import type { RepeatableCallChange } from '../call-tables.js';
import type { PostgresClient } from './postgres-pool.js';

type Client = Pick<PostgresClient, 'query'>;

/** Runs in the transaction of the entries. */
export async function storeAddition(client: Client, addition: AuditAddition): Promise<void> {
  switch (addition.type) {
    case 'checkpoint':
      await client.query('update audit_tree set checkpoint = $1, edge = $2', [addition.size, addition.edge]);
      return;
    case 'sealed arguments': {
      const { call_id, key, nonce, sealed, at } = addition.input;
      const row = { call_id, audit_seq: addition.seq, key, nonce, sealed, at };
      await insert(client, 'sealed_arguments', row);
      return;
    }
    case 'repeatable call':
      await changeRepeatableCall(client, addition.change);
      return;
  }
}

async function changeRepeatableCall(client: Client, change: RepeatableCallChange): Promise<void> {
  switch (change.kind) {
    case 'started':
      await insert(client, 'repeatable_call', change.row);
      return;
    case 'started-again':
      await client.query('update repeatable_call set starts = starts + 1 where call = $1', [change.call]);
      return;
    case 'ended':
      await client.query('delete from repeatable_call where call = $1', [change.call]);
      await client.query('delete from unknown_outcome where call = $1', [change.call]);
      return;
  }
}

async function insert(client: Client, table: string, row: object): Promise<void> {
  const names = Object.keys(row);
  const places = names.map((_, index) => `$${index + 1}`).join(', ');
  await client.query(`insert into ${table} (${names.join(', ')}) values (${places})`, Object.values(row));
}
