import { canonicalJson, type JsonObject } from '../model/json.js';
import { entryHash } from './audit-hash.js';
import { type AuditHead, nextHead, readAuditHead } from './audit-head.js';
import { originOf } from './checkpoint.js';
import type { Checkpoints } from './checkpoints.js';
import type { Database } from './database.js';
import { serializeEdge, type TreeEdge, treeRoot } from './merkle-tree.js';
import { changeRepeatableCall, type RepeatableCallChange } from './repeatable-calls.js';
import { insertSealedArguments, type SealedArgumentsInput } from './sealed-arguments.js';
import type { SqliteConnection, SqlValue } from './sqlite.js';

/** An entry to append to the audit log. */
export interface NewAuditEntry {
  readonly kind:
    | 'start'
    | 'intent'
    | 'outcome'
    | 'retry'
    | 'refusal'
    | 'hold'
    | 'approval'
    | 'recovery'
    | 'operator'
    | 'hook'
    | 'checkpoint'
    | 'anchor'
    | 'rollback'
    | 'violation'
    | 'read';
  readonly body: JsonObject;
  /** Stored in the same transaction, but not part of the entry or its hash. */
  readonly sealedArguments?: SealedArgumentsInput | undefined;
  /** Stored in the same transaction, but not part of the entry or its hash. */
  readonly repeatable?: RepeatableCallChange | undefined;
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

/** A checkpoint that no entry mentions yet. */
interface Unmentioned {
  readonly size: number;
  readonly digest: string;
  /** The tree without the last entry of the checkpoint. */
  readonly before: TreeEdge;
}

/** The checkpoints of an audit log, and how far they go. */
export interface Sealing {
  readonly checkpoints: Checkpoints;
  /** The name of the log. */
  readonly origin: string;
  /** The newest checkpoint, if no entry mentions it. */
  readonly unmentioned?: Unmentioned | undefined;
}

/**
 * The append-only, hash-chained audit log. Entries that arrive during a commit share the next one, which keeps durable
 * writes cheap. Checkpoints sign the Merkle tree of all entries and are stored outside the database. While they cannot be
 * written, no entry is accepted, so no call runs.
 */
export class AuditLog {
  readonly #database: Database;
  readonly #now: () => number;
  readonly #checkpoints: Checkpoints | null;
  #origin: string;
  /** The newest entry. Cached, because no other process writes. */
  #head: AuditHead | undefined;
  #waiting: Waiting[] = [];
  #writing: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #failure: unknown;
  #checkpointSeq = 0;
  #checkpointTimer: NodeJS.Timeout | undefined;
  #checkpointing: Promise<void> | undefined;
  #checkpointFailure: unknown;
  #unmentioned: Unmentioned | undefined;

  /** Without `sealing` the log has no checkpoints. */
  constructor(database: Database, now: () => number, sealing: Sealing | null = null) {
    this.#database = database;
    this.#now = now;
    this.#checkpoints = sealing?.checkpoints ?? null;
    this.#origin = sealing?.origin ?? '';
    this.#unmentioned = sealing?.unmentioned;
    this.#checkpointSeq = this.#checkpoints?.last?.size ?? 0;
  }

  /** The name of the log now. */
  get origin(): string {
    return this.#origin;
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
    let head = this.#head ?? readAuditHead(connection);
    let origin = this.#origin;
    const rows: SqlValue[][] = [];
    const put = ({ kind, body, sealedArguments, repeatable }: NewAuditEntry, at: string) => {
      const entry = { seq: head.seq + 1, at, kind, body: canonicalJson(body), previous: head.hash };
      head = nextHead(head, entryHash(entry));
      rows.push([entry.seq, at, kind, entry.body, entry.previous, head.hash]);
      if (kind === 'rollback' && typeof body.log === 'string') origin = originOf(body.log);
      if (sealedArguments !== undefined) insertSealedArguments(connection, sealedArguments, entry.seq);
      if (repeatable !== undefined) changeRepeatableCall(connection, repeatable);
    };
    const { at } = batch[0] as Waiting;
    const checkpoint = this.#unmentioned;
    connection.exec('begin immediate');
    try {
      if (checkpoint !== undefined) {
        const { size, digest, before } = checkpoint;
        put({ kind: 'checkpoint', body: { size, digest } }, at);
        connection.run('update audit_tree set checkpoint = ?, edge = ?', [size, serializeEdge(before)]);
      }
      for (const waiting of batch) put(waiting.entry, waiting.at);
      insert(connection, rows);
      connection.exec('commit');
    } catch (error) {
      connection.exec('rollback');
      throw error;
    }
    if (this.#unmentioned === checkpoint) this.#unmentioned = undefined;
    this.#head = head;
    this.#origin = origin;
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
      .write({ origin: this.#origin, size: head.seq, root: treeRoot(head.tree).toString('base64') })
      .then(
        ({ size, digest }) => {
          this.#checkpointSeq = size;
          this.#unmentioned = { size, digest, before: head.before };
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
