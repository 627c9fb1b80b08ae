import { rmSync } from 'node:fs';
import { HostError } from '../../model/host-error.js';
import { openSqlite, type SqliteConnection, type SqlValue } from '../../store/sqlite/sqlite.js';
import type { ReleaseSummary } from '../names/release-summary.js';
import { type ListedRelease, latestOf } from './listed-release.js';
import { releaseOfRow, summaryOfText } from './listing-row.js';
import type {
  ListedPackage,
  ListingChange,
  ListingPosition,
  ListingStore,
  ReleaseQuery,
  ReleaseRow,
} from './listing-store.js';
import { searchWords } from './search-words.js';
import { serverNameOf } from './server-name.js';
import { summaryTexts } from './summary-text.js';

/** Of this file. An older listing is made again. */
const layout = 2;

const tables = `
create table if not exists position (size integer not null, root text not null, index_version integer not null);
create table if not exists release (
  name text not null, version text not null, published_at text not null, changed_at text not null,
  status text not null, reason text, withdrawal text, sha256 text not null, is_latest integer not null default 0,
  server_name text not null,
  primary key (name, version)
) without rowid;
create index if not exists release_changed on release (changed_at);
create index if not exists release_server on release (server_name);
create table if not exists package (id integer primary key, name text not null unique, summary text not null, latest text);
create virtual table if not exists package_text using fts5 (
  name, tools, description, content = '', contentless_delete = 1, prefix = '2 3'
);`;

const dropped = ['package_text', 'package', 'release', 'position'];
/** Weights of name, tools and description. */
const rank = 'bm25(package_text, 8.0, 3.0, 1.0)';

/** How many packages a search ranks, at most. */
const rankedPackages = 300;
/** With so many packages that have all words, those that have some of them are not looked for. */
const enoughFound = 5;

/** The listing in a SQLite file that nothing else uses. It can be deleted: it is made again from the registry. */
export function sqliteListing(path: string): ListingStore {
  try {
    return opened(path);
  } catch (error) {
    if (!isDamaged(error)) throw unusable(path, error);
  }
  for (const ending of ['', '-wal', '-shm']) rmSync(`${path}${ending}`, { force: true });
  try {
    return opened(path);
  } catch (error) {
    throw unusable(path, error);
  }
}

function opened(path: string): ListingStore {
  const connection = openSqlite(path);
  connection.exec('pragma journal_mode = wal; pragma synchronous = normal; pragma busy_timeout = 5000;');
  const [row] = connection.all('pragma user_version', []);
  if (row?.user_version !== layout) {
    connection.exec(dropped.map((it) => `drop table if exists ${it};`).join(''));
    connection.exec(`${tables} pragma user_version = ${layout};`);
  }
  return new SqliteListing(connection);
}

/** Whether SQLite says that the file is not a database, or that it is damaged. */
function isDamaged(error: unknown): boolean {
  const { errcode, rawCode } = error as { errcode?: unknown; rawCode?: unknown };
  return [errcode, rawCode].some((it) => typeof it === 'number' && [11, 26].includes(it & 0xff));
}

function unusable(path: string, cause: unknown): HostError {
  return new HostError('state_unusable', `${path}, the listing of the registry, cannot be used`, {
    cause,
    hint: 'check that you own its folder and that the disk is not full; the file can be deleted',
  });
}

class SqliteListing implements ListingStore {
  readonly #connection: SqliteConnection;

  constructor(connection: SqliteConnection) {
    this.#connection = connection;
  }

  async position(): Promise<ListingPosition | undefined> {
    const [row] = this.#connection.all('select size, root, index_version from position', []);
    if (row === undefined) return undefined;
    return { size: Number(row.size), root: String(row.root), index: Number(row.index_version) };
  }

  async apply({ position, isNew, releases, summaries }: ListingChange): Promise<void> {
    this.#connection.exec('begin immediate');
    try {
      if (isNew) for (const it of dropped) this.#connection.run(`delete from ${it}`, []);
      for (const it of releases) this.#putRelease(it);
      for (const it of summaries) this.#putSummary(it);
      for (const name of new Set([...releases, ...summaries].map((it) => it.name))) this.#chooseLatest(name);
      this.#connection.run('delete from position', []);
      this.#connection.run('insert into position values (?, ?, ?)', [
        position.size,
        position.root,
        position.index,
      ]);
      this.#connection.exec('commit');
    } catch (error) {
      this.#connection.exec('rollback');
      throw error;
    }
  }

  async release(name: string, version: string): Promise<ListedRelease | undefined> {
    const [row] = this.#connection.all('select * from release where name = ? and version = ?', [
      name,
      version,
    ]);
    return row === undefined ? undefined : releaseOfRow(row);
  }

  async search(text: string, limit: number): Promise<readonly ListedPackage[]> {
    const words = searchWords(text);
    if (words.length === 0) return [];
    const all = this.#matches(words, 'AND', limit);
    if (all.length >= Math.min(limit, enoughFound) || words.length === 1) return all;
    const known = new Set(all.map((it) => it.summary.name));
    const some = this.#matches(words, 'OR', limit).filter((it) => !known.has(it.summary.name));
    return [...all, ...some].slice(0, limit);
  }

  async releases(query: ReleaseQuery): Promise<readonly ReleaseRow[]> {
    const { limit, after, nameContains, changedSince, version, name, serverName, withQuarantined } = query;
    const conditions: string[] = [];
    const values: SqlValue[] = [];
    const where = (condition: string, ...more: SqlValue[]) => {
      conditions.push(condition);
      values.push(...more);
    };
    if (name !== undefined) where('release.name = ?', name);
    if (serverName !== undefined) where('release.server_name = ?', serverName);
    if (withQuarantined === false) where("release.status <> 'quarantined'");
    if (after !== undefined) where('(release.name, release.version) > (?, ?)', after.name, after.version);
    if (nameContains !== undefined) where('instr(lower(release.name), ?) > 0', nameContains.toLowerCase());
    if (changedSince !== undefined) where('release.changed_at > ?', changedSince);
    if (version === 'latest') where('release.is_latest = 1');
    else if (version !== undefined) where('release.version = ?', version);
    const rows = this.#connection.all(
      `select release.*, package.summary from release left join package on package.name = release.name
       ${conditions.length === 0 ? '' : `where ${conditions.join(' and ')}`}
       order by release.name, release.version limit ?`,
      [...values, limit],
    );
    return rows.map((row) => ({
      release: releaseOfRow(row),
      isLatest: Number(row.is_latest) === 1,
      summary: summaryOfText(row.summary),
    }));
  }

  async close(): Promise<void> {
    this.#connection.close();
  }

  #matches(terms: readonly string[], operator: 'AND' | 'OR', limit: number): ListedPackage[] {
    // Letters and digits only, so that no word is an operator of the query language.
    const query = terms.map((it) => `"${it}"*`).join(` ${operator} `);
    const rows = this.#connection.all(
      `select package.summary, package.latest from
         (select rowid, ${rank} as score from package_text where package_text match ? limit ?) found
       join package on package.id = found.rowid where package.latest is not null
       order by found.score, package.name limit ?`,
      [this.#narrowed(query), rankedPackages, limit],
    );
    return rows.flatMap((row) => {
      const summary = summaryOfText(row.summary);
      return summary === undefined ? [] : [{ summary, latest: String(row.latest) }];
    });
  }

  /** Words that very many packages have are looked for in their names only: so many cannot be ranked in time. */
  #narrowed(query: string): string {
    const [row] = this.#connection.all(
      'select count(*) as count from (select rowid from package_text where package_text match ? limit ?)',
      [query, rankedPackages + 1],
    );
    return Number(row?.count) > rankedPackages ? `name : (${query})` : query;
  }

  #putRelease(release: ListedRelease): void {
    const { name, version, publishedAt, changedAt, status, reason, withdrawal, sha256 } = release;
    const texts = [status, reason ?? null, withdrawal ?? null, sha256];
    this.#connection.run(
      `insert into release (name, version, published_at, changed_at, status, reason, withdrawal, sha256, server_name)
       values (?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict (name, version) do update set
       changed_at = excluded.changed_at, status = excluded.status, reason = excluded.reason, withdrawal = excluded.withdrawal`,
      [name, version, publishedAt, changedAt, ...texts, serverNameOf(name)],
    );
  }

  #putSummary(summary: ReleaseSummary): void {
    const { name } = summary;
    this.#connection.run(
      'insert into package (name, summary) values (?, ?) on conflict (name) do update set summary = excluded.summary',
      [name, JSON.stringify(summary)],
    );
    const [row] = this.#connection.all('select id from package where name = ?', [name]);
    const id = Number(row?.id);
    this.#connection.run('delete from package_text where rowid = ?', [id]);
    this.#connection.run('insert into package_text (rowid, name, tools, description) values (?, ?, ?, ?)', [
      id,
      ...summaryTexts(summary),
    ]);
  }

  #chooseLatest(name: string): void {
    const rows = this.#connection.all('select * from release where name = ?', [name]);
    const latest = latestOf(rows.map(releaseOfRow));
    this.#connection.run('update release set is_latest = (version = ?) where name = ?', [
      latest?.version ?? '',
      name,
    ]);
    this.#connection.run('update package set latest = ? where name = ?', [
      latest?.status === 'active' ? latest.version : null,
      name,
    ]);
  }
}
