import type { ActivityCall } from '../model/activity.js';
import { refusalStatus, shownStatus } from '../model/call-status.js';
import type { JsonObject } from '../model/json.js';
import type { Database } from './database.js';
import type { AuditTable } from './state-tables.js';

/** Entries read at once. Reading a page and parsing it blocks the host for a few milliseconds. */
const pageSize = 1000;
const defaultMaxCalls = 200_000;
/** More entries than this belong to more calls than the table keeps: a call has two or three. */
const entriesPerCall = 3;
/** Entries that begin or end a call. */
const callKinds = ['intent', 'outcome', 'recovery', 'refusal', 'hold'];

type Row = { -readonly [K in keyof ActivityCall]: ActivityCall[K] };

/**
 * The newest calls of the audit log, one row each, in memory. Pages of a list, filters and percentiles need all of them
 * at once. It reads what is new in the log each time it is asked.
 */
export class CallTable {
  readonly #database: Database;
  readonly #maxCalls: number;
  /** Oldest first. */
  #rows: Row[] = [];
  /** Rows of calls that have no end yet. */
  readonly #running = new Map<string, Row>();
  /** One text for equal names: most calls share a few tools and principals. */
  readonly #names = new Map<string, string>();
  #seq = 0;
  #isComplete = true;
  #reading: Promise<void> | undefined;

  constructor(database: Database, maxCalls: number = defaultMaxCalls) {
    this.#database = database;
    this.#maxCalls = maxCalls;
  }

  /** All calls that the table keeps, oldest first, and whether these are all calls of the log. */
  async calls(): Promise<{ readonly calls: readonly ActivityCall[]; readonly complete: boolean }> {
    // A caller that comes during a reading may have to see entries behind it.
    while (this.#reading !== undefined) await this.#reading;
    this.#reading = this.#read().finally(() => {
      this.#reading = undefined;
    });
    await this.#reading;
    return { calls: this.#rows, complete: this.#isComplete };
  }

  /** The entries about a call, in order: its own, and those of its approval. Empty if the table does not have the call. */
  async entriesOf(call: string): Promise<readonly AuditTable[]> {
    const { calls } = await this.calls();
    const own = calls.find((it) => it.call === call);
    if (own === undefined) return [];
    const first = calls.find((it) => it.approval !== null && it.approval === own.approval) ?? own;
    const ids = [call, ...(own.approval === null ? [] : [own.approval])];
    const found: AuditTable[] = [];
    let after = Math.min(first.seq, own.seq) - 1;
    for (;;) {
      const page = await this.#page(after, ids);
      found.push(...page.filter(({ body }) => isAbout(JSON.parse(body) as JsonObject, call, own.approval)));
      if (page.length < pageSize) return found;
      after = page.at(-1)?.seq ?? after;
    }
  }

  async #read(): Promise<void> {
    if (this.#seq === 0) await this.#skipOld();
    for (;;) {
      const page = await this.#page(this.#seq);
      for (const entry of page) this.#add(entry);
      this.#seq = page.at(-1)?.seq ?? this.#seq;
      this.#forgetOld();
      if (page.length < pageSize) return;
      // Other work gets its turn.
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  async #skipOld(): Promise<void> {
    const newest = await this.#database.audit.newest();
    this.#seq = Math.max(0, newest - this.#maxCalls * entriesPerCall);
    this.#isComplete = this.#seq === 0;
  }

  /** `texts`: only entries that contain one of them as a JSON text. */
  #page(after: number, texts: readonly string[] = []): Promise<readonly AuditTable[]> {
    const where =
      texts.length === 0 ? { kinds: callKinds } : { texts: texts.map((it) => JSON.stringify(it)) };
    return this.#database.audit.page({ after, where, limit: pageSize });
  }

  #add({ seq, at, kind, body: written }: AuditTable): void {
    const body = JSON.parse(written) as JsonObject;
    const call = text(body.callId);
    if (call === '') return;
    if (kind === 'outcome' || kind === 'recovery') {
      this.#end(call, body);
      return;
    }
    const row: Row = {
      ...{ seq, call, at: Date.parse(at) },
      tool: this.#name(text(body.tool)),
      principal: this.#name(text(body.principal)),
      status: 'running',
      reason: '',
      durationMs: null,
      approval: typeof body.approval === 'string' ? body.approval : null,
    };
    if (kind === 'intent') this.#running.set(call, row);
    else if (kind === 'hold') Object.assign(row, { status: 'held', reason: this.#name(text(body.reason)) });
    else
      Object.assign(row, {
        status: refusalStatus(text(body.code)),
        reason: this.#name(text(body.code)),
      });
    this.#rows.push(row);
  }

  #end(call: string, { status, code, durationMs }: JsonObject): void {
    const row = this.#running.get(call);
    if (row === undefined) return;
    row.status = this.#name(shownStatus(text(status)));
    row.reason = this.#name(text(code));
    row.durationMs = typeof durationMs === 'number' ? durationMs : null;
    // A call with an unknown outcome can be repeated, and then it ends.
    if (row.status !== 'unknown') this.#running.delete(call);
  }

  /** Removes many rows at once: moving the others costs as much for one as for many. */
  #forgetOld(): void {
    if (this.#rows.length <= this.#maxCalls * 1.1) return;
    const forgotten = this.#rows.slice(0, this.#rows.length - this.#maxCalls);
    for (const { call } of forgotten) this.#running.delete(call);
    this.#rows = this.#rows.slice(-this.#maxCalls);
    this.#isComplete = false;
  }

  #name(name: string): string {
    const known = this.#names.get(name);
    if (known !== undefined) return known;
    // Callers choose the names of tools that do not exist.
    if (this.#names.size < 10_000) this.#names.set(name, name);
    return name;
  }
}

function isAbout({ callId, approval }: JsonObject, call: string, own: string | null): boolean {
  return callId === call || (own !== null && approval === own);
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
