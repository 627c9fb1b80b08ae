import pg from 'pg';
import { HostError } from '../../model/host-error.js';
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

/** Names compare as bytes, as everywhere else, whatever the language of the database is. */
const tables = `
create table if not exists registry_position (size bigint not null, root text not null, index_version bigint not null);
create table if not exists registry_release (
  name text collate "C" not null, version text collate "C" not null, published_at text collate "C" not null,
  changed_at text collate "C" not null, status text not null, reason text, withdrawal text, sha256 text not null,
  is_latest boolean not null default false, server_name text collate "C" not null, primary key (name, version)
);
alter table registry_release add column if not exists withdrawal text;
create index if not exists registry_release_changed on registry_release (changed_at);
create index if not exists registry_release_server on registry_release (server_name);
create table if not exists registry_package (
  name text collate "C" primary key, summary text not null, latest text, words tsvector not null
);
create index if not exists registry_package_words on registry_package using gin (words);`;

/** How many packages a search ranks, at most. */
const rankedPackages = 300;
/** With so many packages that have all words, those that have some of them are not looked for. */
const enoughFound = 5;

/** Any number; the same for all servers of one database. */
const writeLock = 7_061_188;

interface Database {
  query(sql: string, values?: readonly unknown[]): Promise<pg.QueryResult<Record<string, unknown>>>;
}

/** The listing in PostgreSQL, for several servers of one registry. Throws if the database cannot be reached. */
export async function postgresListing(url: string): Promise<ListingStore> {
  const pool = new pg.Pool({
    connectionString: url,
    max: 8,
    connectionTimeoutMillis: 5000,
    statement_timeout: 10_000,
    application_name: 'toolwharf-registry',
  });
  // An idle connection that breaks is replaced by the next query.
  pool.on('error', () => {});
  const database: Database = {
    query: (sql, values) => pool.query(sql, values === undefined ? [] : [...values]),
  };
  try {
    await inTransaction(pool, async (it) => {
      await it.query('select pg_advisory_xact_lock($1)', [writeLock]);
      await it.query(tables);
    });
  } catch (error) {
    await pool.end();
    throw new HostError('unavailable', 'the database of the listing cannot be used', {
      cause: error,
      hint: 'check the URL, and whether PostgreSQL runs and lets this user create tables',
    });
  }
  return new PostgresListing(pool, database);
}

class PostgresListing implements ListingStore {
  readonly #pool: pg.Pool;
  readonly #database: Database;

  constructor(pool: pg.Pool, database: Database) {
    this.#pool = pool;
    this.#database = database;
  }

  async position(): Promise<ListingPosition | undefined> {
    return positionIn(this.#database);
  }

  async apply({ position, isNew, releases, summaries }: ListingChange): Promise<void> {
    await inTransaction(this.#pool, async (database) => {
      await database.query('select pg_advisory_xact_lock($1)', [writeLock]);
      const now = await positionIn(database);
      // Another server was faster. What it wrote is at least as new.
      if (!isNew && now !== undefined && now.size > position.size) return;
      if (isNew)
        await database.query(
          'delete from registry_release; delete from registry_package; delete from registry_position;',
        );
      for (const it of releases) await putRelease(database, it);
      for (const it of summaries) await putSummary(database, it);
      const changed = new Set([...releases.map((it) => it.name), ...summaries.map((it) => it.name)]);
      for (const name of changed) await chooseLatest(database, name);
      await database.query('delete from registry_position');
      await database.query('insert into registry_position values ($1, $2, $3)', [
        position.size,
        position.root,
        position.index,
      ]);
    });
  }

  async release(name: string, version: string): Promise<ListedRelease | undefined> {
    const { rows } = await this.#database.query(
      'select * from registry_release where name = $1 and version = $2',
      [name, version],
    );
    return rows[0] === undefined ? undefined : releaseOfRow(rows[0]);
  }

  async search(text: string, limit: number): Promise<readonly ListedPackage[]> {
    const words = searchWords(text);
    if (words.length === 0) return [];
    const all = await this.#matches(words, '&', limit);
    if (all.length >= Math.min(limit, enoughFound) || words.length === 1) return all;
    const known = new Set(all.map((it) => it.summary.name));
    const some = (await this.#matches(words, '|', limit)).filter((it) => !known.has(it.summary.name));
    return [...all, ...some].slice(0, limit);
  }

  async releases(query: ReleaseQuery): Promise<readonly ReleaseRow[]> {
    const { limit, after, nameContains, changedSince, version, name, serverName, withQuarantined } = query;
    const values: unknown[] = [];
    const value = (it: unknown) => `$${values.push(it)}`;
    const conditions = [
      name === undefined ? [] : `release.name = ${value(name)}`,
      serverName === undefined ? [] : `release.server_name = ${value(serverName)}`,
      withQuarantined === false ? "release.status <> 'quarantined'" : [],
      after === undefined
        ? []
        : `(release.name, release.version) > (${value(after.name)}, ${value(after.version)})`,
      nameContains === undefined
        ? []
        : `strpos(lower(release.name), ${value(nameContains.toLowerCase())}) > 0`,
      changedSince === undefined ? [] : `release.changed_at > ${value(changedSince)}`,
      version === undefined
        ? []
        : version === 'latest'
          ? 'release.is_latest'
          : `release.version = ${value(version)}`,
    ].flat();
    const { rows } = await this.#database.query(
      `select release.*, package.summary from registry_release release
       left join registry_package package on package.name = release.name
       ${conditions.length === 0 ? '' : `where ${conditions.join(' and ')}`}
       order by release.name, release.version limit ${value(limit)}`,
      values,
    );
    return rows.map((row) => ({
      release: releaseOfRow(row),
      isLatest: row.is_latest === true,
      summary: summaryOfText(row.summary),
    }));
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }

  async #matches(terms: readonly string[], operator: '&' | '|', limit: number): Promise<ListedPackage[]> {
    const { rows: counted } = await this.#database.query(
      `select count(*) as count from
         (select 1 from registry_package where words @@ to_tsquery('simple', $1) and latest is not null limit $2) found`,
      [queryOf(terms, operator, ''), rankedPackages + 1],
    );
    // Words that very many packages have are looked for in their names only: so many cannot be ranked in time.
    const query = queryOf(terms, operator, Number(counted[0]?.count) > rankedPackages ? 'A' : '');
    const { rows } = await this.#database.query(
      `select summary, latest from
         (select * from registry_package where words @@ to_tsquery('simple', $1) and latest is not null limit $3) found
       order by ts_rank('{0.1, 0.1, 0.3, 1.0}', words, to_tsquery('simple', $1), 1) desc, name limit $2`,
      [query, limit, rankedPackages],
    );
    return rows.flatMap((row) => {
      const summary = summaryOfText(row.summary);
      return summary === undefined ? [] : [{ summary, latest: String(row.latest) }];
    });
  }
}

/** Letters and digits only, so that no word is an operator of the query language. */
function queryOf(terms: readonly string[], operator: '&' | '|', weight: 'A' | ''): string {
  return terms.map((it) => `'${it}':*${weight}`).join(` ${operator} `);
}

async function positionIn(database: Database): Promise<ListingPosition | undefined> {
  const { rows } = await database.query('select size, root, index_version from registry_position');
  const [row] = rows;
  if (row === undefined) return undefined;
  return { size: Number(row.size), root: String(row.root), index: Number(row.index_version) };
}

async function putRelease(database: Database, release: ListedRelease): Promise<void> {
  const { name, version, publishedAt, changedAt, status, reason, withdrawal, sha256 } = release;
  const texts = [status, reason ?? null, withdrawal ?? null, sha256];
  await database.query(
    `insert into registry_release
       (name, version, published_at, changed_at, status, reason, withdrawal, sha256, server_name)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9) on conflict (name, version) do update set
     changed_at = excluded.changed_at, status = excluded.status, reason = excluded.reason, withdrawal = excluded.withdrawal`,
    [name, version, publishedAt, changedAt, ...texts, serverNameOf(name)],
  );
}

async function putSummary(database: Database, summary: ReleaseSummary): Promise<void> {
  const [names, tools, description] = summaryTexts(summary);
  await database.query(
    `insert into registry_package (name, summary, words) values ($1, $2,
       setweight(to_tsvector('simple', $3), 'A') || setweight(to_tsvector('simple', $4), 'B') ||
       setweight(to_tsvector('simple', $5), 'C'))
     on conflict (name) do update set summary = excluded.summary, words = excluded.words`,
    [summary.name, JSON.stringify(summary), names, tools, description],
  );
}

async function chooseLatest(database: Database, name: string): Promise<void> {
  const { rows } = await database.query('select * from registry_release where name = $1', [name]);
  const latest = latestOf(rows.map(releaseOfRow));
  await database.query('update registry_release set is_latest = (version = $1) where name = $2', [
    latest?.version ?? '',
    name,
  ]);
  await database.query('update registry_package set latest = $1 where name = $2', [
    latest?.status === 'active' ? latest.version : null,
    name,
  ]);
}

async function inTransaction(pool: pg.Pool, work: (database: Database) => Promise<void>): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query('begin');
    await work({ query: (sql, values) => client.query(sql, values === undefined ? [] : [...values]) });
    await client.query('commit');
  } catch (error) {
    await client.query('rollback').catch(() => {});
    throw error;
  } finally {
    client.release();
  }
}
