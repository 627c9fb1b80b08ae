import type { AuditDurability } from '../model/audit-durability.js';
import { canonicalJson, type JsonObject } from '../model/json.js';
import { entryHash } from './audit-hash.js';
import { type AuditHead, nextHead } from './audit-head.js';
import type { Sealing, Unmentioned } from './audit-sealing.js';
import type { AuditAddition, AuditBatch, AuditRow } from './audit-statements.js';
import type { RepeatableCallChange, SealedArgumentsInput } from './call-tables.js';
import { originOf } from './checkpoint.js';
import type { Checkpoints } from './checkpoints.js';
import type { Database } from './database.js';
import { DelayedSync } from './delayed-sync.js';
import { serializeEdge, treeRoot } from './merkle-tree.js';

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
    | 'taint'
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
  /** Of the commit. An entry that nobody waits for takes the commit of others. */
  readonly durability: AuditDurability | null;
  readonly done: () => void;
  readonly failed: (error: unknown) => void;
}

/** A batch with the newest entry and the name of the log after it. */
interface MadeEntries extends AuditBatch {
  readonly head: AuditHead;
  readonly origin: string;
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
  /** Written before the next entry. */
  #announced: Waiting | undefined;
  #writing: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #failure: unknown;
  #checkpointSeq = 0;
  #checkpointTimer: NodeJS.Timeout | undefined;
  #checkpointing: Promise<void> | undefined;
  #checkpointFailure: unknown;
  #unmentioned: Unmentioned | undefined;
  /** Called with entries that are committed. */
  onWritten: (entries: readonly NewAuditEntry[]) => void = () => {};
  readonly #delayedSync: DelayedSync;
  /** Calls that have an intent and no outcome yet. */
  #openCalls = 0;

  /** Without `sealing` the log has no checkpoints. */
  constructor(database: Database, now: () => number, sealing: Sealing | null = null) {
    this.#database = database;
    this.#delayedSync = new DelayedSync(() => database.syncLog());
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

  /**
   * Resolves when the entry is on disk, or with `group` when a killed process no longer loses it. Entries keep the order of
   * the calls, even if the caller does not wait.
   */
  append(entry: NewAuditEntry, durability: AuditDurability = 'call'): Promise<void> {
    return new Promise((done, failed) => {
      this.#delayedSync.assertWorks();
      if (this.#checkpointFailure !== undefined) {
        this.#writeCheckpoint();
        return failed(this.#checkpointFailure);
      }
      this.#add(entry, durability, done, failed);
      this.#start();
    });
  }

  /**
   * Adds an entry without waiting. It is written with the next appended entry, or alone a moment later. Throws if earlier
   * entries could not be written, because nothing may run without an audit entry.
   */
  enqueue(entry: NewAuditEntry): void {
    if (this.#failure !== undefined) throw this.#failure;
    this.#delayedSync.assertWorks();
    this.#add(entry, null, ignore, ignore);
    this.#timer ??= setTimeout(() => this.#start(), commitDelayMs);
  }

  /** Adds an entry that matters only if others follow: it is written together with the next one, before it. */
  announce(entry: NewAuditEntry): void {
    this.#announced = { entry, at: this.#time(), durability: null, done: ignore, failed: ignore };
  }

  /** Waits until all entries are on disk. */
  async flush(): Promise<void> {
    await this.#written();
    await this.#delayedSync.flush();
  }

  async #written(): Promise<void> {
    if (this.#waiting.length > 0) this.#start();
    while (this.#writing !== undefined) await this.#writing;
  }

  /** Writes a last checkpoint that covers all entries. */
  async close(): Promise<void> {
    await this.#written();
    await this.#checkpointing;
    await this.#writeCheckpoint();
    clearTimeout(this.#checkpointTimer);
    await this.#checkpoints?.close();
    await this.#delayedSync.flush();
    if (this.#checkpointFailure !== undefined) throw this.#checkpointFailure;
  }

  #add(
    entry: NewAuditEntry,
    durability: AuditDurability | null,
    done: () => void,
    failed: (error: unknown) => void,
  ): void {
    if (entry.kind === 'intent') this.#openCalls++;
    else if (entry.kind === 'outcome') this.#openCalls = Math.max(0, this.#openCalls - 1);
    if (this.#announced !== undefined) this.#waiting.push(this.#announced);
    this.#announced = undefined;
    this.#waiting.push({ entry, at: this.#time(), durability, done, failed });
  }

  #time(): string {
    return new Date(this.#now()).toISOString();
  }

  #start(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    // An earlier write may have taken the entry that this timer was for.
    if (this.#waiting.length > 0) this.#writing ??= this.#write();
  }

  async #write(): Promise<void> {
    // Entries of the same turn of the event loop share a commit. A call that is alone does not wait for others.
    if (this.#openCalls > 1) await new Promise((resolve) => setImmediate(resolve));
    while (this.#waiting.length > 0) {
      const batch = this.#waiting;
      this.#waiting = [];
      try {
        const awaited = batch.filter((it) => it.durability !== null);
        // Entries that nobody waits for are on disk soon in any case.
        const isGroup = awaited.length > 0 && awaited.every((it) => it.durability === 'group');
        const checkpoint = this.#unmentioned;
        let made: MadeEntries | undefined;
        await this.#database.audit.append(isGroup ? 'group' : 'call', this.#head, (head) => {
          made = this.#entriesOf(batch, head, checkpoint);
          return made;
        });
        if (this.#unmentioned === checkpoint) this.#unmentioned = undefined;
        if (made !== undefined) ({ head: this.#head, origin: this.#origin } = made);
        if (isGroup) this.#delayedSync.committed();
        else this.#delayedSync.covered();
        this.#failure = undefined;
        for (const waiting of batch) waiting.done();
        this.onWritten(batch.map((it) => it.entry));
        this.#scheduleCheckpoint();
      } catch (error) {
        this.#failure = error;
        this.#head = undefined;
        this.#openCalls -= batch.filter(({ entry }) => entry.kind === 'intent').length;
        for (const waiting of batch) waiting.failed(error);
      }
    }
    this.#writing = undefined;
  }

  /** `checkpoint`: the newest one, if no entry mentions it. */
  #entriesOf(batch: readonly Waiting[], newest: AuditHead, checkpoint: Unmentioned | undefined): MadeEntries {
    let head = newest;
    let origin = this.#origin;
    const rows: AuditRow[] = [];
    const additions: AuditAddition[] = [];
    const put = ({ kind, body, sealedArguments, repeatable }: NewAuditEntry, at: string) => {
      const entry = { seq: head.seq + 1, at, kind, body: canonicalJson(body), previous: head.hash };
      head = nextHead(head, entryHash(entry));
      rows.push([entry.seq, at, kind, entry.body, entry.previous, head.hash]);
      if (kind === 'rollback' && typeof body.log === 'string') origin = originOf(body.log);
      if (sealedArguments !== undefined)
        additions.push({ type: 'sealed arguments', input: sealedArguments, seq: entry.seq });
      if (repeatable !== undefined) additions.push({ type: 'repeatable call', change: repeatable });
    };
    if (checkpoint !== undefined) {
      const { size, digest, before } = checkpoint;
      put({ kind: 'checkpoint', body: { size, digest } }, (batch[0] as Waiting).at);
      additions.push({ type: 'checkpoint', size, edge: serializeEdge(before) });
    }
    for (const waiting of batch) put(waiting.entry, waiting.at);
    return { rows, additions, head, origin };
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
    // What a checkpoint covers must not be missing after a power loss.
    this.#checkpointing ??= this.#delayedSync
      .flush()
      .then(() =>
        checkpoints.write({
          origin: this.#origin,
          size: head.seq,
          root: treeRoot(head.tree).toString('base64'),
        }),
      )
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
