import type { ParseCacheStatements } from '../parse-cache-statements.js';
import type { ExclusiveUse } from './exclusive-use.js';
import { endTransaction, type SqliteConnection } from './sqlite.js';

export class SqliteParseCache implements ParseCacheStatements {
  readonly #database: ExclusiveUse;

  constructor(database: ExclusiveUse) {
    this.#database = database;
  }

  async get(subject: string, build: string): Promise<string | undefined> {
    const query = 'select made from parse_cache where subject = ? and build = ?';
    const [row] = await this.#database.withConnection((it) => it.all(query, [subject, build]));
    return row === undefined ? undefined : String(row.made);
  }

  async keep(
    all: ReadonlyMap<string, string>,
    row: { readonly build: string; readonly at: number; readonly maxRows: number },
  ): Promise<void> {
    await this.#database.withConnection((it) => {
      it.exec('begin immediate');
      try {
        write(it, all, row);
        it.exec('commit');
      } catch (error) {
        endTransaction(it);
        throw error;
      }
    });
  }
}

function write(
  connection: SqliteConnection,
  all: ReadonlyMap<string, string>,
  { build, at, maxRows }: { readonly build: string; readonly at: number; readonly maxRows: number },
): void {
  connection.run('delete from parse_cache where build <> ?', [build]);
  for (const [subject, made] of all)
    connection.run('insert or replace into parse_cache (subject, build, made, at) values (?, ?, ?, ?)', [
      subject,
      build,
      made,
      at,
    ]);
  connection.run(
    'delete from parse_cache where rowid in (select rowid from parse_cache order by at desc, rowid desc limit -1 offset ?)',
    [maxRows],
  );
}
