import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { pathToFileURL } from 'node:url';
import { diskFailure } from './disk-failure.js';

export type SqlValue = string | number | bigint | null | Uint8Array;

/** The part of SQLite that the store needs, independent of the library. */
export interface SqliteConnection {
  exec(sql: string): void;
  all(sql: string, parameters: readonly SqlValue[]): Record<string, unknown>[];
  run(sql: string, parameters: readonly SqlValue[]): { changes: number };
  close(): void;
}

const require = createRequire(import.meta.url);

/** Uses `node:sqlite` if this Node version has it without a flag, else `libsql`. */
export function openSqlite(path: string, options: { readonly readOnly?: boolean } = {}): SqliteConnection {
  const [major, minor] = process.versions.node.split('.').map(Number) as [number, number];
  return major > 22 || (major === 22 && minor >= 13)
    ? openBuiltIn(path, options.readOnly === true)
    : openLibsql(path, options.readOnly === true);
}

/** After a failed statement. SQLite may have ended the transaction itself, as on a full disk: the failure says why. */
export function endTransaction(connection: SqliteConnection): void {
  try {
    connection.exec('rollback');
  } catch {
    // SQLite rejects a rollback only if no transaction is open.
  }
}

interface Statement {
  all(...parameters: SqlValue[]): Record<string, unknown>[];
  run(...parameters: (SqlValue | readonly SqlValue[])[]): { changes: number | bigint };
  readonly reader?: boolean;
}

interface Connection {
  exec(sql: string): void;
  prepare(sql: string): Statement;
  close(): void;
}

function openBuiltIn(path: string, readOnly: boolean): SqliteConnection {
  // Some Node releases print an experimental warning for it; the functions used here are stable.
  const { DatabaseSync } = require('node:sqlite') as {
    DatabaseSync: new (path: string, options: object) => Connection;
  };
  const run = (statement: Statement, parameters: readonly SqlValue[]) => statement.run(...parameters);
  return adapt(new DatabaseSync(path, { readOnly }), dirname(path), run);
}

function openLibsql(path: string, readOnly: boolean): SqliteConnection {
  const Database = withoutReport(() => require('libsql')) as new (path: string) => Connection;
  // It has no read-only option, but accepts file URLs.
  const connection = new Database(readOnly ? `${pathToFileURL(path).href}?mode=ro` : path);
  // A list is passed on as it is; single values would be collected and flattened first.
  return adapt(connection, dirname(path), (statement, parameters) => statement.run(parameters));
}

/**
 * Loads libsql without `process.report`. The library uses the report to find the C library of this machine, which takes
 * longer than opening a database. Without the report it looks at system files instead.
 */
function withoutReport<T>(load: () => T): T {
  const own = Object.getOwnPropertyDescriptor(process, 'report');
  if (own?.configurable !== true) return load();
  Object.defineProperty(process, 'report', { value: undefined, configurable: true });
  try {
    return load();
  } catch {
    // The system files were missing: use the report after all.
    Object.defineProperty(process, 'report', own);
    return load();
  } finally {
    Object.defineProperty(process, 'report', own);
  }
}

type RunStatement = (
  statement: Statement,
  parameters: readonly SqlValue[],
) => { readonly changes: number | bigint };

function adapt(connection: Connection, folder: string, runStatement: RunStatement): SqliteConnection {
  const statements = new Map<string, Statement>();
  const prepared = (sql: string): Statement => {
    let statement = statements.get(sql);
    if (statement === undefined) {
      statement = connection.prepare(sql);
      if (statements.size < 256) statements.set(sql, statement);
    }
    return statement;
  };
  const guarded = <T>(work: () => T): T => {
    try {
      return work();
    } catch (error) {
      throw diskFailure(error, folder) ?? error;
    }
  };
  return {
    exec: (sql) => guarded(() => connection.exec(sql)),
    all: (sql, parameters) =>
      guarded(() =>
        prepared(sql)
          .all(...parameters)
          .map((row) => ({ ...row })),
      ),
    run: (sql, parameters) =>
      guarded(() => ({ changes: Number(runStatement(prepared(sql), parameters).changes) })),
    close() {
      statements.clear();
      connection.close();
    },
  };
}
