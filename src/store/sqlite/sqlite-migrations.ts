import { assertNotNewer, migrations } from '../migrations.js';
import { endTransaction, type SqliteConnection } from './sqlite.js';

/** Migrates a database to the newest version in one transaction. Rejects a database that a newer program wrote. */
export function migrate(connection: SqliteConnection): void {
  const [row] = connection.all('pragma user_version', []);
  const current = Number(row?.user_version ?? 0);
  assertNotNewer(current, 'the state directory', 'use another state directory with --state');
  if (current === migrations.length) return;
  connection.exec('begin immediate');
  try {
    // Another process may have migrated it in the meantime.
    const [again] = connection.all('pragma user_version', []);
    for (const step of migrations.slice(Number(again?.user_version ?? 0))) connection.exec(step);
    connection.exec(`pragma user_version = ${migrations.length}`);
    connection.exec('commit');
  } catch (error) {
    endTransaction(connection);
    throw error;
  }
}
