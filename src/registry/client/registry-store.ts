// What this machine trusts about one registry, and its search index: one SQLite file, so that a state is stored as a whole.
import { chmodSync } from 'node:fs';
import { dirname } from 'node:path';
import { makeFolder } from '../../files/make-folder.js';
import { HostError } from '../../model/host-error.js';
import { openSqlite, type SqliteConnection } from '../../store/sqlite/sqlite.js';
import type { LogHead } from '../log/log-head.js';
import type { QuarantinedRelease } from '../names/quarantine-list.js';
import type { ReleaseRecord } from '../names/release-record.js';
import type { NamedRelease, ReleaseStatements, SaidOfRelease } from './release-statements.js';
import type { NewTrust, TrustedFiles } from './trusted-files.js';

const schema = `
  create table if not exists file (name text primary key, version integer not null, bytes blob not null) without rowid;
  create table if not exists first_root (id integer primary key check (id = 1), sha256 text not null);
  create table if not exists head (id integer primary key check (id = 1), origin text not null, size integer not null,
    root blob not null, note text not null, seen text not null);
  create table if not exists release (name text not null, version text not null, sha256 text not null, yanked text,
    primary key (name, version)) without rowid;
  create table if not exists quarantine (name text not null, version text not null, reason text not null, time text not null,
    primary key (name, version)) without rowid;
  create table if not exists quarantine_list (id integer primary key check (id = 1), sha256 text not null);
  create table if not exists part (bin text primary key, sha256 text not null) without rowid;
  create table if not exists package (id integer primary key, bin text not null, name text not null unique, version text not null,
    title text not null, description text not null, format text not null, tags text not null, tools text not null);
  create index if not exists package_bin on package (bin);
  create virtual table if not exists words using fts5 (name, title, description, tags, tools,
    content = 'package', content_rowid = 'id', tokenize = 'unicode61 remove_diacritics 2', prefix = '2 3');
`;

/** What is stored with a state. */
export interface KeptWith {
  /** ISO 8601, UTC. */
  readonly seen: string;
  /** The SHA-256 of the root file that the operator configured. */
  readonly firstRoot: string;
  readonly said: ReleaseStatements;
}

export class RegistryStore {
  readonly connection: SqliteConnection;
  readonly path: string;

  private constructor(connection: SqliteConnection, path: string) {
    this.connection = connection;
    this.path = path;
  }

  static open(path: string): RegistryStore {
    try {
      makeFolder(dirname(path), 0o700);
      const connection = openSqlite(path);
      chmodSync(path, 0o600);
      connection.exec('pragma busy_timeout = 5000; pragma journal_mode = wal; pragma synchronous = full;');
      connection.exec(schema);
      return new RegistryStore(connection, path);
    } catch (error) {
      throw new HostError(
        'state_unusable',
        `${path}, with what this machine knows about a registry, cannot be used`,
        {
          cause: error,
          hint: 'check that you own it, and that the disk is not full',
        },
      );
    }
  }

  /** What was trusted last. `root`: used instead of the stored root, which may be missing. */
  trusted(root?: Buffer): TrustedFiles {
    return {
      root: root ?? this.root ?? Buffer.alloc(0),
      timestamp: this.#file('timestamp'),
      snapshot: this.#file('snapshot'),
      head: this.head,
      role: (name) => this.#file(`role ${name}`),
    };
  }

  /** The newest head of the log that was seen. */
  get head(): LogHead | undefined {
    const [row] = this.connection.all('select origin, size, root, note from head', []);
    if (row === undefined) return undefined;
    return {
      origin: String(row.origin),
      size: Number(row.size),
      root: Buffer.from(row.root as Uint8Array),
      note: String(row.note),
    };
  }

  /** When the newest head was kept: ISO 8601, UTC. */
  get seenAt(): string | undefined {
    const [row] = this.connection.all('select seen from head', []);
    return row === undefined ? undefined : String(row.seen);
  }

  /** The newest root file; undefined: nothing is trusted yet. */
  get root(): Buffer | undefined {
    return this.#file('root');
  }

  /** The SHA-256 of the root file with which the operator began to trust the registry. */
  get firstRoot(): string | undefined {
    const [row] = this.connection.all('select sha256 from first_root', []);
    return row === undefined ? undefined : String(row.sha256);
  }

  /** The list of releases under quarantine, if the one with this hash was stored last. */
  quarantine(sha256: string): readonly QuarantinedRelease[] | undefined {
    const [row] = this.connection.all('select sha256 from quarantine_list', []);
    if (row?.sha256 !== sha256) return undefined;
    return this.connection
      .all('select name, version, reason, time from quarantine order by name, version', [])
      .map((it) => ({
        name: String(it.name),
        version: String(it.version),
        reason: String(it.reason),
        time: String(it.time),
      }));
  }

  /** What the registry said last about the release with this content. Undefined: nothing is stored about it. */
  saidOf({ name, version, sha256 }: NamedRelease): SaidOfRelease | undefined {
    const key = [name, version];
    const [row] = this.connection.all(
      'select sha256, yanked from release where name = ? and version = ?',
      key,
    );
    if (row?.sha256 !== sha256) return undefined;
    const [warning] = this.connection.all(
      'select reason from quarantine where name = ? and version = ?',
      key,
    );
    return {
      ...(row.yanked === null ? {} : { yanked: String(row.yanked) }),
      ...(warning === undefined ? {} : { quarantined: String(warning.reason) }),
    };
  }

  /** Stores everything at once. If another process stored a newer state meanwhile, that stays. */
  keep(trust: NewTrust, { seen, firstRoot, said }: KeptWith): void {
    this.transaction(() => {
      if (
        trust.versions.timestamp < this.#version('timestamp') &&
        trust.versions.root <= this.#version('root')
      )
        return;
      if (trust.versions.root < this.#version('root')) return;
      this.connection.run('insert or replace into first_root (id, sha256) values (1, ?)', [firstRoot]);
      this.#put('root', trust.versions.root, trust.root);
      this.#put('timestamp', trust.versions.timestamp, trust.timestamp);
      this.#put('snapshot', trust.versions.snapshot, trust.snapshot);
      for (const [role, { version, bytes }] of trust.roles) this.#put(`role ${role}`, version, bytes);
      const { origin, size, root, note } = trust.head;
      this.connection.run(
        'insert or replace into head (id, origin, size, root, note, seen) values (1, ?, ?, ?, ?, ?)',
        [origin, size, root, note, seen],
      );
      if (said.releases !== undefined) this.#keepReleases(said.releases);
      if (said.quarantine !== undefined) this.#keepQuarantine(said.quarantine);
    });
  }

  transaction<T>(work: () => T): T {
    this.connection.exec('begin immediate');
    try {
      const result = work();
      this.connection.exec('commit');
      return result;
    } catch (error) {
      this.connection.exec('rollback');
      throw error;
    }
  }

  close(): void {
    this.connection.close();
  }

  #keepReleases(releases: readonly ReleaseRecord[]): void {
    for (const { name, version, bundle, yanked } of releases)
      this.connection.run(
        `insert into release (name, version, sha256, yanked) values (?, ?, ?, ?) on conflict do update set
          sha256 = excluded.sha256, yanked = excluded.yanked where sha256 <> excluded.sha256 or yanked is not excluded.yanked`,
        [name.text, version, bundle.sha256, yanked ?? null],
      );
  }

  #keepQuarantine({ sha256, releases }: NonNullable<ReleaseStatements['quarantine']>): void {
    this.connection.run('delete from quarantine', []);
    for (const { name, version, reason, time } of releases)
      this.connection.run(
        'insert or replace into quarantine (name, version, reason, time) values (?, ?, ?, ?)',
        [name, version, reason, time],
      );
    this.connection.run('insert or replace into quarantine_list (id, sha256) values (1, ?)', [sha256]);
  }

  #file(name: string): Buffer | undefined {
    const [row] = this.connection.all('select bytes from file where name = ?', [name]);
    return row === undefined ? undefined : Buffer.from(row.bytes as Uint8Array);
  }

  #version(name: string): number {
    const [row] = this.connection.all('select version from file where name = ?', [name]);
    return row === undefined ? 0 : Number(row.version);
  }

  #put(name: string, version: number, bytes: Buffer): void {
    const [row] = this.connection.all('select version from file where name = ? and bytes = ?', [name, bytes]);
    if (row !== undefined) return;
    this.connection.run('insert or replace into file (name, version, bytes) values (?, ?, ?)', [
      name,
      version,
      bytes,
    ]);
  }
}
