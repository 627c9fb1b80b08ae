import { HostError } from '../model/host-error.js';
import { canonicalJson, type JsonObject } from '../model/json.js';
import { chainStart, hashOf } from './audit-check.js';
import type { Checkpoints, LastCheckpoint } from './checkpoints.js';
import { type AuditTable, type Database, exclusively } from './database.js';
import { type KeptBeside, keepBeside } from './sealed-arguments.js';
import type { SqliteConnection, SqlValue } from './sqlite.js';

/** What one line of the record says. */
export interface NewAuditEntry {
  readonly kind:
    | 'start'
    | 'intent'
    | 'outcome'
    | 'refusal'
    | 'hold'
    | 'approval'
    | 'recovery'
    | 'operator'
    | 'hook'
    | 'checkpoint'
    | 'read';
  readonly body: JsonObject;
  /** Goes to the disk with the line, and is no part of it. */
  readonly beside?: KeptBeside | undefined;
}

/** How long a line may wait for others that share its commit: the disk is slow, and the host waits with it. */
const patienceMs = 25;
/** A checkpoint comes this long after the first line it covers, or after so many lines. */
const sealAfterMs = 2000;
const sealAfterLines = 5000;

interface Waiting {
  readonly entry: NewAuditEntry;
  readonly at: string;
  readonly done: () => void;
  readonly failed: (error: unknown) => void;
}

interface Head {
  readonly seq: number;
  readonly hash: string;
}

/**
 * The append-only, hash-chained record. Entries that arrive while one commit is under way go into the next
 * one together, so that the price of a durable line is shared. Checkpoints are signed and kept elsewhere; while they
 * cannot be written, nothing more is recorded, and so nothing more happens.
 */
export class AuditLog {
  readonly #database: Database;
  readonly #now: () => number;
  readonly #checkpoints: Checkpoints | null;
  /** Nobody else writes: the newest line is read once. */
  #head: Head | undefined;
  #waiting: Waiting[] = [];
  #writing: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #failure: unknown;
  #sealed = 0;
  #sealTimer: NodeJS.Timeout | undefined;
  #sealing: Promise<void> | undefined;
  #sealFailure: unknown;
  /** A checkpoint that the record does not speak of yet. */
  #unnoted: LastCheckpoint | undefined;

  constructor(database: Database, now: () => number, checkpoints: Checkpoints | null = null) {
    this.#database = database;
    this.#now = now;
    this.#checkpoints = checkpoints;
    this.#unnoted = checkpoints?.last;
    this.#sealed = checkpoints?.last?.seq ?? 0;
  }

  /** Resolves when the line is on the disk. Whoever need not wait for that still gets the order of arrival. */
  append(entry: NewAuditEntry): Promise<void> {
    return new Promise((done, failed) => {
      if (this.#sealFailure !== undefined) {
        this.#seal();
        return failed(this.#sealFailure);
      }
      this.#add(entry, done, failed);
      this.#start();
    });
  }

  /**
   * A line that nobody waits for: it goes to the disk with the next one that somebody does, or a moment later on its
   * own. Throws while lines before it could not be written: then nothing more may happen unrecorded.
   */
  note(entry: NewAuditEntry): void {
    if (this.#failure !== undefined) throw this.#failure;
    this.#add(entry, ignore, ignore);
    this.#timer ??= setTimeout(() => this.#start(), patienceMs);
  }

  /** Waits until everything that was appended is on the disk. */
  async flush(): Promise<void> {
    if (this.#waiting.length > 0) this.#start();
    while (this.#writing !== undefined) await this.#writing;
  }

  /** The last checkpoint covers everything. */
  async close(): Promise<void> {
    await this.flush();
    await this.#sealing;
    await this.#seal();
    clearTimeout(this.#sealTimer);
    await this.#checkpoints?.close();
    if (this.#sealFailure !== undefined) throw this.#sealFailure;
  }

  #add(entry: NewAuditEntry, done: () => void, failed: (error: unknown) => void): void {
    this.#waiting.push({ entry, at: new Date(this.#now()).toISOString(), done, failed });
  }

  #start(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#writing ??= this.#write();
  }

  async #write(): Promise<void> {
    // Entries of the same turn of the event loop share a commit.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#waiting.length > 0) {
      const batch = this.#waiting;
      this.#waiting = [];
      try {
        await exclusively(this.#database, (connection) => this.#insert(connection, batch));
        this.#failure = undefined;
        for (const waiting of batch) waiting.done();
        this.#planSeal();
      } catch (error) {
        this.#failure = error;
        this.#head = undefined;
        for (const waiting of batch) waiting.failed(error);
      }
    }
    this.#writing = undefined;
  }

  /** All of them or none. */
  #insert(connection: SqliteConnection, batch: readonly Waiting[]): void {
    let { seq, hash } = this.#head ?? headOf(connection);
    const lines: SqlValue[][] = [];
    const put = ({ kind, body, beside }: NewAuditEntry, at: string) => {
      const line = { seq: seq + 1, at, kind, body: canonicalJson(body), previous: hash };
      hash = hashOf(line);
      seq = line.seq;
      lines.push([seq, at, kind, line.body, line.previous, hash]);
      if (beside !== undefined) keepBeside(connection, beside, seq);
    };
    const { at } = batch[0] as Waiting;
    const seal = this.#unnoted;
    connection.exec('begin immediate');
    try {
      if (seal !== undefined) put({ kind: 'checkpoint', body: { n: seal.n, digest: seal.digest } }, at);
      for (const waiting of batch) put(waiting.entry, waiting.at);
      insert(connection, lines);
      connection.exec('commit');
    } catch (error) {
      connection.exec('rollback');
      throw error;
    }
    if (this.#unnoted === seal) this.#unnoted = undefined;
    this.#head = { seq, hash };
  }

  #planSeal(): void {
    if (this.#checkpoints === null || this.#sealing !== undefined) return;
    if ((this.#head?.seq ?? 0) - this.#sealed >= sealAfterLines) this.#seal();
    else {
      this.#sealTimer ??= setTimeout(() => this.#seal(), sealAfterMs);
      this.#sealTimer.unref();
    }
  }

  /** Signs the newest line that is on the disk. */
  #seal(): Promise<void> {
    clearTimeout(this.#sealTimer);
    this.#sealTimer = undefined;
    const checkpoints = this.#checkpoints;
    const head = this.#head;
    if (checkpoints === null || head === undefined || head.seq <= this.#sealed) return Promise.resolve();
    this.#sealing ??= checkpoints
      .seal(head.seq, head.hash)
      .then(
        (made) => {
          this.#sealed = made.seq;
          this.#unnoted = made;
          this.#sealFailure = undefined;
        },
        (error) => {
          this.#sealFailure = error;
        },
      )
      .finally(() => {
        this.#sealing = undefined;
      });
    return this.#sealing;
  }
}

function ignore(): void {}

/** Lines that one statement writes: asking for it costs more than what it does. */
const together = 8;
const one = insertionOf(1);
const several = insertionOf(together);

function insertionOf(count: number): string {
  const places = Array.from({ length: count }, () => '(?, ?, ?, ?, ?, ?)').join(', ');
  return `insert into audit (seq, at, kind, body, previous, hash) values ${places}`;
}

function insert(connection: SqliteConnection, lines: readonly SqlValue[][]): void {
  let at = 0;
  for (; at + together <= lines.length; at += together)
    connection.run(several, lines.slice(at, at + together).flat());
  for (; at < lines.length; at++) connection.run(one, lines[at] as SqlValue[]);
}

function headOf(connection: SqliteConnection): Head {
  const [last] = connection.all('select seq, hash from audit order by seq desc limit 1', []);
  return last === undefined
    ? { seq: 0, hash: chainStart }
    : { seq: Number(last.seq), hash: String(last.hash) };
}

/** A record that lost lines which a checkpoint saw is not gone on with: that would hide the loss. */
export async function assertCovers(database: Database, last: LastCheckpoint | undefined): Promise<void> {
  if (last === undefined) return;
  const [found] = await exclusively(database, (it) =>
    it.all('select hash from audit where seq = ?', [last.seq]),
  );
  if (found?.hash === last.hash) return;
  const what = found === undefined ? 'is not there any more' : 'was changed';
  throw new HostError(
    'integrity',
    `line ${last.seq} of the record, which checkpoint ${last.n} saw, ${what}`,
    {
      hint: 'find out what happened: toolwharf audit verify; to go on with what is left, move the checkpoints and audit.key away',
    },
  );
}

/** The newest lines, oldest of them first. */
export async function tailAudit(database: Database, count: number): Promise<AuditTable[]> {
  const rows = await database.selectFrom('audit').selectAll().orderBy('seq', 'desc').limit(count).execute();
  return rows.reverse();
}

/** Calls that began since the host was last started and have no recorded end: what they did is unknown. */
export async function openIntents(database: Database): Promise<JsonObject[]> {
  const started = await database
    .selectFrom('audit')
    .select((it) => it.fn.max('seq').as('seq'))
    .where('kind', '=', 'start')
    .executeTakeFirst();
  const rows = await database
    .selectFrom('audit')
    .select(['kind', 'body'])
    .where('seq', '>', started?.seq ?? 0)
    .where('kind', 'in', ['intent', 'outcome'])
    .orderBy('seq')
    .execute();
  const open = new Map<string, JsonObject>();
  for (const { kind, body } of rows) {
    const parsed = JSON.parse(body) as JsonObject;
    if (kind === 'intent') open.set(String(parsed.callId), parsed);
    else open.delete(String(parsed.callId));
  }
  return [...open.values()];
}
