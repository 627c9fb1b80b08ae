// What commands read from a state directory without a host. It works while a host has the database open.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { openSqlite, type SqliteConnection } from './sqlite.js';
import { databaseFile } from './sqlite-database.js';

/** Opens a database to read its audit log. */
export function openReadable(path: string, readOnly: boolean): SqliteConnection {
  const connection = openSqlite(path, { readOnly });
  try {
    connection.exec('pragma busy_timeout = 5000; pragma query_only = on;');
    connection.all('select seq from audit limit 1', []);
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
}

/** Whether a PIN is set. */
export function hasOperatorPin(state: string): boolean {
  return read(state, ['operator_pin'], false, (it) => it.all('select 1 from operator_pin', []).length > 0);
}

/** Ids of the waivers that were accepted with the PIN. */
export function verifiedWaiverIds(state: string): ReadonlySet<string> {
  return read(state, ['accepted_waiver'], new Set(), (connection) => {
    const rows = connection.all('select id from accepted_waiver where verified = 1', []);
    return new Set(rows.map((it) => String(it.id)));
  });
}

interface StoredNotices {
  /** Bodies of audit entries about notices, newest first. */
  readonly entries: readonly string[];
  /** Names of the values that are set for notices. */
  readonly secrets: readonly string[];
}

/** `owner`: whom the values for notices belong to. */
export function storedNotices(state: string, owner: string, maxEntries: number): StoredNotices {
  return read(state, ['audit', 'secret'], { entries: [], secrets: [] }, (connection) => {
    const entries = connection.all(
      "select body from audit where kind in ('hold', 'violation') and instr(body, '\"notice\"') > 0 order by seq desc limit ?",
      [maxEntries],
    );
    const secrets = connection.all('select slot from secret where package = ?', [owner]);
    return {
      entries: entries.map((it) => String(it.body)),
      secrets: secrets.map((it) => String(it.slot)),
    };
  });
}

interface StoredChanges {
  /** Unfinished changes of installations, oldest first. */
  readonly changes: readonly { readonly package: string; readonly operation: string; readonly at: number }[];
  /** The newest entries about operations, in order, if there are changes. */
  readonly operations: readonly { readonly at: string; readonly body: string }[];
}

/** `searchedEntries`: how many of the newest audit entries are read. */
export function storedChanges(state: string, searchedEntries: number): StoredChanges {
  return read(state, ['change_journal', 'audit'], { changes: [], operations: [] }, (connection) => {
    const changes = connection.all('select package, operation, at from change_journal order by at', []);
    const operations =
      changes.length === 0
        ? []
        : connection.all(
            `select at, body from audit where kind = 'operator' and seq > (select max(seq) from audit) - ? order by seq`,
            [searchedEntries],
          );
    return { changes, operations } as unknown as StoredChanges;
  });
}

/** `nothing`: if there is no database, or if an earlier version wrote it and a table is missing. */
function read<T>(
  state: string,
  tables: readonly string[],
  nothing: T,
  work: (connection: SqliteConnection) => T,
): T {
  const path = join(state, databaseFile);
  if (!existsSync(path)) return nothing;
  const connection = openSqlite(path);
  try {
    connection.exec('pragma busy_timeout = 2000; pragma query_only = on;');
    const names = tables.map((it) => `'${it}'`).join(', ');
    const known = connection.all(
      `select name from sqlite_master where type = 'table' and name in (${names})`,
      [],
    );
    return known.length < tables.length ? nothing : work(connection);
  } finally {
    connection.close();
  }
}
