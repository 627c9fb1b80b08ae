import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AuditVerdict } from '../model/audit.js';
import { HostError } from '../model/host-error.js';
import type { JsonObject } from '../model/json.js';
import { checkAuditLog } from './audit-check.js';
import {
  type CheckpointPaths,
  readCheckpoints,
  readOwnPublicKey,
  readTrustedPublicKey,
} from './checkpoints.js';
import { type AuditTable, databaseFile } from './database.js';
import { openSqlite, type SqliteConnection } from './sqlite.js';

const pageSize = 500;

/** Reads the audit log of a state directory without a host. It does not disturb a running host. */
export class StoredAuditLog {
  readonly #connection: SqliteConnection;
  readonly #paths: CheckpointPaths;
  readonly #copy: string | undefined;

  private constructor(connection: SqliteConnection, paths: CheckpointPaths, copy: string | undefined) {
    this.#connection = connection;
    this.#paths = paths;
    this.#copy = copy;
  }

  /** `follow`: opens the database like a host, to see later entries. Without it no file is changed. */
  static open(state: string, paths: CheckpointPaths, follow = false): StoredAuditLog {
    const path = join(state, databaseFile);
    if (!existsSync(path)) {
      throw new HostError('not_found', `there is no audit log in ${state}`, {
        hint: 'use the right state directory with --state',
      });
    }
    try {
      return new StoredAuditLog(openReadable(path, !follow), paths, undefined);
    } catch (error) {
      // Copying a database that this process has open would release its locks.
      if (follow) throw unopenReadable(state, error);
      // SQLite needs to write to the folder to read a WAL database, and must recover the log of a killed host first.
      // Where it cannot write, read a copy.
      const copy = mkdtempSync(join(tmpdir(), 'toolwharf-audit-'));
      try {
        for (const suffix of ['', '-wal']) {
          if (existsSync(`${path}${suffix}`))
            copyFileSync(`${path}${suffix}`, join(copy, `${databaseFile}${suffix}`));
        }
        return new StoredAuditLog(openReadable(join(copy, databaseFile), false), paths, copy);
      } catch (error) {
        rmSync(copy, { recursive: true, force: true });
        throw unopenReadable(state, error);
      }
    }
  }

  /** Entries after `after`, up to and including `through`, in order. Reads them in pages. */
  *entries(after = 0, through = Number.MAX_SAFE_INTEGER): Generator<AuditTable> {
    let seq = after;
    for (;;) {
      const sql =
        'select seq, at, kind, body, previous, hash from audit where seq > ? and seq <= ? order by seq limit ?';
      const page = this.#connection.all(sql, [seq, through, pageSize]) as unknown as AuditTable[];
      yield* page;
      seq = page.at(-1)?.seq ?? seq;
      if (page.length < pageSize) return;
    }
  }

  /** `seq` of the newest entry; 0 if the audit log is empty. */
  lastSeq(): number {
    return Number(this.#connection.all('select max(seq) as seq from audit', [])[0]?.seq ?? 0);
  }

  /** `seq` of the first and last entry in a time range. Undefined if there is none. */
  seqRange(
    since: string | undefined,
    until: string | undefined,
  ): { first: number; last: number } | undefined {
    const sql = 'select min(seq) as first, max(seq) as last from audit where at >= ? and at <= ?';
    const [row] = this.#connection.all(sql, [since ?? '', until ?? '~']);
    return row?.first == null ? undefined : { first: Number(row.first), last: Number(row.last) };
  }

  /** The entries of one call and of its approval, in order. */
  entriesOfCall(call: string): AuditTable[] {
    const own = this.#entriesWith('callId', call);
    const approvals = own.flatMap(({ body }) => {
      const { approval } = JSON.parse(body) as JsonObject;
      return typeof approval === 'string' ? [approval] : [];
    });
    const decided = [...new Set(approvals)].flatMap((it) => this.#entriesWith('approval', it));
    const all = new Map([...own, ...decided].map((it) => [it.seq, it]));
    return [...all.values()].sort((a, b) => a.seq - b.seq);
  }

  /** Whether the sealed arguments of the call are stored. */
  hasKeptArguments(call: string): boolean {
    const table = "select 1 from sqlite_master where type = 'table' and name = 'sealed_arguments'";
    // The database of an earlier version does not have this table.
    if (this.#connection.all(table, []).length === 0) return false;
    return this.#connection.all('select 1 from sealed_arguments where call_id = ?', [call]).length > 0;
  }

  /** Entries whose body has this id in `member`. Searches as text first: parsing every body would take much longer. */
  #entriesWith(member: string, id: string): AuditTable[] {
    const sql = 'select seq, at, kind, body, previous, hash from audit where instr(body, ?) > 0 order by seq';
    const found = this.#connection.all(sql, [JSON.stringify(id)]) as unknown as AuditTable[];
    return found.filter(({ body }) => (JSON.parse(body) as JsonObject)[member] === id);
  }

  checkpoints(): AsyncGenerator<string> {
    return readCheckpoints(this.#paths);
  }

  publicKey(): string | undefined {
    return readOwnPublicKey(this.#paths)?.export({ type: 'spki', format: 'pem' }) as string | undefined;
  }

  async verify(trusted?: string): Promise<AuditVerdict> {
    const publicKey = trusted === undefined ? readOwnPublicKey(this.#paths) : readTrustedPublicKey(trusted);
    // The checkpoint file is opened first, so that all entries it covers are in the database when they are read.
    const checkpoints = this.checkpoints();
    const first = await checkpoints.next();
    const all = async function* () {
      if (first.done) return;
      yield first.value;
      yield* checkpoints;
    };
    return this.#snapshot(() => checkAuditLog({ entries: this.entries(), checkpoints: all(), publicKey }));
  }

  close(): void {
    this.#connection.close();
    if (this.#copy !== undefined) rmSync(this.#copy, { recursive: true, force: true });
  }

  async #snapshot<T>(work: () => Promise<T>): Promise<T> {
    this.#connection.exec('begin');
    try {
      return await work();
    } finally {
      this.#connection.exec('rollback');
    }
  }
}

function unopenReadable(state: string, cause: unknown): HostError {
  return new HostError(
    'state_unusable',
    `the audit log in ${state} cannot be read: the database is damaged`,
    {
      cause,
      hint: 'restore it from a backup; the checkpoints show how many entries it had',
    },
  );
}

function openReadable(path: string, readOnly: boolean): SqliteConnection {
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
