import type { Database } from './database.js';
import { endTransaction, type SqliteConnection } from './sqlite.js';

/** Only the newest rows are kept. */
const maxRows = 2000;

/**
 * Parsed manifests, stored for the next start. Rows are valid only for the build that wrote them, because another build
 * may parse the same files differently.
 */
export class ParseCacheRows {
  readonly #database: Database;
  readonly #build: string;
  readonly #now: () => number;

  constructor(database: Database, build: string, now: () => number) {
    this.#database = database;
    this.#build = build;
    this.#now = now;
  }

  async get(subject: string): Promise<string | undefined> {
    const query = 'select made from parse_cache where subject = ? and build = ?';
    const [row] = await this.#database.withConnection((it) => it.all(query, [subject, this.#build]));
    return row === undefined ? undefined : String(row.made);
  }

  async keep(all: ReadonlyMap<string, string>): Promise<void> {
    await this.#database.withConnection((it) => {
      it.exec('begin immediate');
      try {
        this.#write(it, all);
        it.exec('commit');
      } catch (error) {
        endTransaction(it);
        throw error;
      }
    });
  }

  #write(connection: SqliteConnection, all: ReadonlyMap<string, string>): void {
    const at = this.#now();
    connection.run('delete from parse_cache where build <> ?', [this.#build]);
    for (const [subject, made] of all)
      connection.run('insert or replace into parse_cache (subject, build, made, at) values (?, ?, ?, ?)', [
        subject,
        this.#build,
        made,
        at,
      ]);
    connection.run(
      'delete from parse_cache where rowid in (select rowid from parse_cache order by at desc, rowid desc limit -1 offset ?)',
      [maxRows],
    );
  }
}
