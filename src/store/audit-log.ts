import { HostError } from '../model/host-error.js';
import { canonicalJson, type JsonObject } from '../model/json.js';
import { chainStart, entryHash } from './audit-check.js';
import type { Checkpoints, LastCheckpoint } from './checkpoints.js';
import type { AuditTable, Database } from './database.js';
import { insertSealedArguments, type SealedArgumentsInput } from './sealed-arguments.js';
import type { SqliteConnection, SqlValue } from './sqlite.js';

/** An entry to append to the audit log. */
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
  /** Stored in the same transaction, but not part of the entry or its hash. */
  readonly sealedArguments?: SealedArgumentsInput | undefined;
}

/** How long a queued entry waits for others to share its commit. A commit is slow and blocks the host. */
const commitDelayMs = 25;
/** A checkpoint is written this long after the first entry it covers, or after this many entries. */
const checkpointAfterMs = 2000;
const checkpointAfterEntries = 5000;

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
 * The append-only, hash-chained audit log. Entries that arrive during a commit share the next one, which keeps durable
 * writes cheap. Checkpoints are signed and stored outside the database. While they cannot be written, no entry is
 * accepted, so no call runs.
 */
export class AuditLog {
  readonly #database: Database;
  readonly #now: () => number;
  readonly #checkpoints: Checkpoints | null;
  /** The newest entry. Cached, because no other process writes. */
  #head: Head | undefined;
  #waiting: Waiting[] = [];
  #writing: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #failure: unknown;
  #checkpointSeq = 0;
  #checkpointTimer: NodeJS.Timeout | undefined;
  #checkpointing: Promise<void> | undefined;
  #checkpointFailure: unknown;
  /** A checkpoint that no entry mentions yet. */
  #unmentioned: LastCheckpoint | undefined;

  constructor(database: Database, now: () => number, checkpoints: Checkpoints | null = null) {
    this.#database = database;
    this.#now = now;
    this.#checkpoints = checkpoints;
    this.#unmentioned = checkpoints?.last;
    this.#checkpointSeq = checkpoints?.last?.seq ?? 0;
  }

  /** Resolves when the entry is on disk. Entries keep the order of the calls, even if the caller does not wait. */
  append(entry: NewAuditEntry): Promise<void> {
    return new Promise((done, failed) => {
      if (this.#checkpointFailure !== undefined) {
        this.#writeCheckpoint();
        return failed(this.#checkpointFailure);
      }
      this.#add(entry, done, failed);
      this.#start();
    });
  }

  /**
   * Adds an entry without waiting. It is written with the next appended entry, or alone a moment later. Throws if earlier
   * entries could not be written, because nothing may run without an audit entry.
   */
  enqueue(entry: NewAuditEntry): void {
    if (this.#failure !== undefined) throw this.#failure;
    this.#add(entry, ignore, ignore);
    this.#timer ??= setTimeout(() => this.#start(), commitDelayMs);
  }

  /** Waits until all entries are on disk. */
  async flush(): Promise<void> {
    if (this.#waiting.length > 0) this.#start();
    while (this.#writing !== undefined) await this.#writing;
  }

  /** Writes a last checkpoint that covers all entries. */
  async close(): Promise<void> {
    await this.flush();
    await this.#checkpointing;
    await this.#writeCheckpoint();
    clearTimeout(this.#checkpointTimer);
    await this.#checkpoints?.close();
    if (this.#checkpointFailure !== undefined) throw this.#checkpointFailure;
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
        await this.#database.withConnection((connection) => this.#insert(connection, batch));
        this.#failure = undefined;
        for (const waiting of batch) waiting.done();
        this.#scheduleCheckpoint();
      } catch (error) {
        this.#failure = error;
        this.#head = undefined;
        for (const waiting of batch) waiting.failed(error);
      }
    }
    this.#writing = undefined;
  }

  /** Writes all entries of the batch, or none. */
  #insert(connection: SqliteConnection, batch: readonly Waiting[]): void {
    let { seq, hash } = this.#head ?? headOf(connection);
    const rows: SqlValue[][] = [];
    const put = ({ kind, body, sealedArguments }: NewAuditEntry, at: string) => {
      const entry = { seq: seq + 1, at, kind, body: canonicalJson(body), previous: hash };
      hash = entryHash(entry);
      seq = entry.seq;
      rows.push([seq, at, kind, entry.body, entry.previous, hash]);
      if (sealedArguments !== undefined) insertSealedArguments(connection, sealedArguments, seq);
    };
    const { at } = batch[0] as Waiting;
    const checkpoint = this.#unmentioned;
    connection.exec('begin immediate');
    try {
      if (checkpoint !== undefined)
        put({ kind: 'checkpoint', body: { n: checkpoint.n, digest: checkpoint.digest } }, at);
      for (const waiting of batch) put(waiting.entry, waiting.at);
      insert(connection, rows);
      connection.exec('commit');
    } catch (error) {
      connection.exec('rollback');
      throw error;
    }
    if (this.#unmentioned === checkpoint) this.#unmentioned = undefined;
    this.#head = { seq, hash };
  }

  #scheduleCheckpoint(): void {
    if (this.#checkpoints === null || this.#checkpointing !== undefined) return;
    if ((this.#head?.seq ?? 0) - this.#checkpointSeq >= checkpointAfterEntries) this.#writeCheckpoint();
    else {
      this.#checkpointTimer ??= setTimeout(() => this.#writeCheckpoint(), checkpointAfterMs);
      this.#checkpointTimer.unref();
    }
  }

  /** Signs the newest entry that is on disk. */
  #writeCheckpoint(): Promise<void> {
    clearTimeout(this.#checkpointTimer);
    this.#checkpointTimer = undefined;
    const checkpoints = this.#checkpoints;
    const head = this.#head;
    if (checkpoints === null || head === undefined || head.seq <= this.#checkpointSeq)
      return Promise.resolve();
    this.#checkpointing ??= checkpoints
      .write(head.seq, head.hash)
      .then(
        (written) => {
          this.#checkpointSeq = written.seq;
          this.#unmentioned = written;
          this.#checkpointFailure = undefined;
        },
        (error) => {
          this.#checkpointFailure = error;
        },
      )
      .finally(() => {
        this.#checkpointing = undefined;
      });
    return this.#checkpointing;
  }
}

function ignore(): void {}

/** Rows per insert statement: running a statement costs more than the insert itself. */
const rowsPerInsert = 8;
const insertOne = insertionOf(1);
const insertSeveral = insertionOf(rowsPerInsert);

function insertionOf(count: number): string {
  const places = Array.from({ length: count }, () => '(?, ?, ?, ?, ?, ?)').join(', ');
  return `insert into audit (seq, at, kind, body, previous, hash) values ${places}`;
}

function insert(connection: SqliteConnection, rows: readonly SqlValue[][]): void {
  let at = 0;
  for (; at + rowsPerInsert <= rows.length; at += rowsPerInsert)
    connection.run(insertSeveral, rows.slice(at, at + rowsPerInsert).flat());
  for (; at < rows.length; at++) connection.run(insertOne, rows[at] as SqlValue[]);
}

function headOf(connection: SqliteConnection): Head {
  const [last] = connection.all('select seq, hash from audit order by seq desc limit 1', []);
  return last === undefined
    ? { seq: 0, hash: chainStart }
    : { seq: Number(last.seq), hash: String(last.hash) };
}

/** Throws if the entry of the last checkpoint is missing or changed. New entries would hide the loss. */
export async function assertMatchesCheckpoint(
  database: Database,
  last: LastCheckpoint | undefined,
): Promise<void> {
  if (last === undefined) return;
  const [found] = await database.withConnection((it) =>
    it.all('select hash from audit where seq = ?', [last.seq]),
  );
  if (found?.hash === last.hash) return;
  const problem = found === undefined ? 'is missing' : 'was changed';
  throw new HostError(
    'integrity',
    `entry ${last.seq} of the audit log, which checkpoint ${last.n} covers, ${problem}`,
    {
      hint: 'find out what happened: toolwharf audit verify; to continue with the remaining entries, move the checkpoints and audit.key away',
    },
  );
}

/** The newest entries, in order. */
export async function readAuditTail(database: Database, count: number): Promise<AuditTable[]> {
  const rows = await database.selectFrom('audit').selectAll().orderBy('seq', 'desc').limit(count).execute();
  return rows.reverse();
}

/** Intents since the last start of a host that have no outcome entry. What these calls did is unknown. */
export async function unfinishedCalls(database: Database): Promise<JsonObject[]> {
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
  const unfinished = new Map<string, JsonObject>();
  for (const { kind, body } of rows) {
    const parsed = JSON.parse(body) as JsonObject;
    if (kind === 'intent') unfinished.set(String(parsed.callId), parsed);
    else unfinished.delete(String(parsed.callId));
  }
  return [...unfinished.values()];
}
