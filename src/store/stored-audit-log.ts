import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AuditVerdict } from '../model/audit.js';
import { HostError } from '../model/host-error.js';
import type { JsonObject } from '../model/json.js';
import { checkAuditLog } from './audit-check.js';
import { type CheckpointPlaces, checkpointLines, publicKeyOf, trustedKey } from './checkpoints.js';
import { type AuditTable, databaseFile } from './database.js';
import { openSqlite, type SqliteConnection } from './sqlite.js';

const pageSize = 500;

/** The record of a state directory, for reading only. Needs no host, and is in the way of none that runs. */
export class StoredAuditLog {
  readonly #connection: SqliteConnection;
  readonly #places: CheckpointPlaces;
  readonly #copy: string | undefined;

  private constructor(connection: SqliteConnection, places: CheckpointPlaces, copy: string | undefined) {
    this.#connection = connection;
    this.#places = places;
    this.#copy = copy;
  }

  /** `follow`: takes part in the database as its host does, and sees what is written later. Else every file stays as it is. */
  static open(state: string, places: CheckpointPlaces, follow = false): StoredAuditLog {
    const path = join(state, databaseFile);
    if (!existsSync(path)) {
      throw new HostError('not_found', `there is no record in ${state}`, {
        hint: 'name the right state directory with --state',
      });
    }
    try {
      return new StoredAuditLog(readable(path, !follow), places, undefined);
    } catch (error) {
      // Copying a database that is open in this very process would drop the locks on it.
      if (follow) throw unreadable(state, error);
      // A folder that cannot be written to has no room for the little that reading needs, and what a host that was killed
      // left has to be put in order first, which is for writers.
      const copy = mkdtempSync(join(tmpdir(), 'toolwharf-record-'));
      try {
        for (const end of ['', '-wal']) {
          if (existsSync(`${path}${end}`)) copyFileSync(`${path}${end}`, join(copy, `${databaseFile}${end}`));
        }
        return new StoredAuditLog(readable(join(copy, databaseFile), false), places, copy);
      } catch (error) {
        rmSync(copy, { recursive: true, force: true });
        throw unreadable(state, error);
      }
    }
  }

  /** Lines after a number, in their order; a few at a time, however many there are. */
  *lines(after = 0, through = Number.MAX_SAFE_INTEGER): Generator<AuditTable> {
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

  /** Number of the newest line. */
  last(): number {
    return Number(this.#connection.all('select max(seq) as seq from audit', [])[0]?.seq ?? 0);
  }

  /** The first and last line of a time, as numbers; undefined when there is none. */
  span(since: string | undefined, until: string | undefined): { first: number; last: number } | undefined {
    const sql = 'select min(seq) as first, max(seq) as last from audit where at >= ? and at <= ?';
    const [row] = this.#connection.all(sql, [since ?? '', until ?? '~']);
    return row?.first == null ? undefined : { first: Number(row.first), last: Number(row.last) };
  }

  /** What is said of one call, and of its approval where there was one, in order. */
  about(call: string): AuditTable[] {
    const own = this.#naming('callId', call);
    const approvals = own.flatMap(({ body }) => {
      const { approval } = JSON.parse(body) as JsonObject;
      return typeof approval === 'string' ? [approval] : [];
    });
    const decided = [...new Set(approvals)].flatMap((it) => this.#naming('approval', it));
    const all = new Map([...own, ...decided].map((it) => [it.seq, it]));
    return [...all.values()].sort((a, b) => a.seq - b.seq);
  }

  /** Whether the arguments of the call are kept, sealed. */
  keeps(call: string): boolean {
    const table = "select 1 from sqlite_master where type = 'table' and name = 'sealed_arguments'";
    // A record of an earlier version has no place for them.
    if (this.#connection.all(table, []).length === 0) return false;
    return this.#connection.all('select 1 from sealed_arguments where call_id = ?', [call]).length > 0;
  }

  /** Looked for as text first: reading every line as JSON would take far longer. */
  #naming(member: string, id: string): AuditTable[] {
    const sql = 'select seq, at, kind, body, previous, hash from audit where instr(body, ?) > 0 order by seq';
    const found = this.#connection.all(sql, [JSON.stringify(id)]) as unknown as AuditTable[];
    return found.filter(({ body }) => (JSON.parse(body) as JsonObject)[member] === id);
  }

  checkpoints(): AsyncGenerator<string> {
    return checkpointLines(this.#places);
  }

  publicKey(): string | undefined {
    return publicKeyOf(this.#places)?.export({ type: 'spki', format: 'pem' }) as string | undefined;
  }

  async verify(trusted?: string): Promise<AuditVerdict> {
    const publicKey = trusted === undefined ? publicKeyOf(this.#places) : trustedKey(trusted);
    // The end of the checkpoints is looked up first: what they saw is in the lines that are read after it.
    const checkpoints = this.checkpoints();
    const first = await checkpoints.next();
    const all = async function* () {
      if (first.done) return;
      yield first.value;
      yield* checkpoints;
    };
    return this.#snapshot(() => checkAuditLog({ lines: this.lines(), checkpoints: all(), publicKey }));
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

function unreadable(state: string, cause: unknown): HostError {
  return new HostError('state_unusable', `the record in ${state} cannot be read: it is damaged`, {
    cause,
    hint: 'take it from a backup; the checkpoints say how far it went',
  });
}

function readable(path: string, readOnly: boolean): SqliteConnection {
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
