import { createHash } from 'node:crypto';
import type { AuditVerdict } from '../model/audit.js';
import { canonicalJson, type Json, type JsonObject } from '../model/json.js';
import type { AuditTable, Database } from './database.js';

/** What one line of the record says. */
export interface AuditEntry {
  readonly kind:
    | 'start'
    | 'intent'
    | 'outcome'
    | 'refusal'
    | 'hold'
    | 'approval'
    | 'recovery'
    | 'operator'
    | 'hook';
  readonly body: JsonObject;
}

const start = '0'.repeat(64);
/** How long a line may wait for others that share its commit: the disk is slow, and the host waits with it. */
const patienceMs = 25;

interface Waiting {
  readonly entry: AuditEntry;
  readonly at: string;
  readonly done: () => void;
  readonly failed: (error: unknown) => void;
}

/**
 * The append-only, hash-chained record. Entries that arrive while one commit is under way go into the next
 * one together, so that the price of a durable line is shared.
 */
export class AuditLog {
  readonly #database: Database;
  readonly #now: () => number;
  #waiting: Waiting[] = [];
  #writing: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #failure: unknown;

  constructor(database: Database, now: () => number) {
    this.#database = database;
    this.#now = now;
  }

  /** Resolves when the line is on the disk. Whoever need not wait for that still gets the order of arrival. */
  append(entry: AuditEntry): Promise<void> {
    return new Promise((done, failed) => {
      this.#add(entry, done, failed);
      this.#start();
    });
  }

  /**
   * A line that nobody waits for: it goes to the disk with the next one that somebody does, or a moment later on its
   * own. Throws while lines before it could not be written: then nothing more may happen unrecorded.
   */
  note(entry: AuditEntry): void {
    if (this.#failure !== undefined) throw this.#failure;
    this.#add(
      entry,
      () => {},
      () => {},
    );
    this.#timer ??= setTimeout(() => this.#start(), patienceMs);
  }

  /** Waits until everything that was appended is on the disk. */
  async flush(): Promise<void> {
    if (this.#waiting.length > 0) this.#start();
    while (this.#writing !== undefined) await this.#writing;
  }

  #add(entry: AuditEntry, done: () => void, failed: (error: unknown) => void): void {
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
        await this.#database.transaction().execute(async (transaction) => {
          const last = await transaction
            .selectFrom('audit')
            .select(['seq', 'hash'])
            .orderBy('seq', 'desc')
            .limit(1)
            .executeTakeFirst();
          let { seq, hash } = last ?? { seq: 0, hash: start };
          for (const { entry, at } of batch) {
            const row = chained({
              seq: seq + 1,
              at,
              kind: entry.kind,
              body: canonicalJson(entry.body),
              previous: hash,
            });
            await transaction.insertInto('audit').values(row).execute();
            ({ seq, hash } = row);
          }
        });
        this.#failure = undefined;
        for (const waiting of batch) waiting.done();
      } catch (error) {
        this.#failure = error;
        for (const waiting of batch) waiting.failed(error);
      }
    }
    this.#writing = undefined;
  }
}

function chained(line: Omit<AuditTable, 'hash'>): AuditTable {
  const content: Json = {
    seq: line.seq,
    at: line.at,
    kind: line.kind,
    body: line.body,
    previous: line.previous,
  };
  return { ...line, hash: createHash('sha256').update(canonicalJson(content)).digest('hex') };
}

const pageSize = 1000;

/** Recomputes the chain from its first line; needs no running host. */
export async function verifyAudit(database: Database): Promise<AuditVerdict> {
  let entries = 0;
  let previous = start;
  for (;;) {
    const page = await database
      .selectFrom('audit')
      .selectAll()
      .where('seq', '>', entries)
      .orderBy('seq')
      .limit(pageSize)
      .execute();
    for (const { hash, ...line } of page) {
      const fits = line.seq === entries + 1 && line.previous === previous && chained(line).hash === hash;
      if (!fits) return { ok: false, entries, firstBad: line.seq };
      entries++;
      previous = hash;
    }
    if (page.length < pageSize) return { ok: true, entries };
  }
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
