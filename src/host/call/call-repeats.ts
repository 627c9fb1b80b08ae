import type { ApprovalBinding } from '../../model/approval.js';
import type { CancelSignal } from '../../model/cancel-signal.js';
import { HostError } from '../../model/host-error.js';
import { canonicalJson, type Json, type JsonObject } from '../../model/json.js';
import type { KillSubject } from '../../model/kill-target.js';
import { splitToolName } from '../../model/tool-name.js';
import type { ArgumentSeal } from '../../secrets/argument-seal.js';
import type { KeyStorageKind } from '../../secrets/key-storage.js';
import type { AuditLog } from '../../store/audit-log.js';
import type { RepeatableCallTable } from '../../store/call-tables.js';
import type { RepeatableCallRows } from '../../store/repeatable-calls.js';
import type { Answer } from '../host.js';

export interface CallRepeatServices {
  readonly rows: RepeatableCallRows;
  readonly seal: ArgumentSeal;
  readonly audit: AuditLog;
  readonly now: () => number;
}

/** A call that is about to start. */
export interface KeptCall {
  readonly id: string;
  readonly binding: ApprovalBinding;
  readonly digest: string;
  readonly input: JsonObject;
  readonly approval: string | null;
  readonly timeoutMs: number;
  readonly at: number;
  readonly keyStorage: KeyStorageKind | undefined;
}

/** An idempotent call is not a harmless one: what it sets may be outdated after this time. */
const maxAgeMs = 3_600_000;
/** Hosts that may start the same call: one that ends every host must not do so forever. */
const maxStarts = 3;
/** How long the answer of a repeated call is kept for a caller that asks again. */
const answerLifetimeMs = 600_000;

interface Entry {
  readonly row: RepeatableCallTable;
  state: 'waiting' | 'running' | 'answered';
  /** Resolves when a running call has ended. */
  ended: Promise<void>;
  end: () => void;
}

/**
 * Calls of idempotent tools that a crash interrupted. They wait until a session of their caller opens, because only a
 * session knows what its caller may do now.
 */
export class CallRepeats {
  readonly #services: CallRepeatServices;
  #entries: readonly Entry[];

  private constructor(services: CallRepeatServices, entries: readonly Entry[]) {
    this.#services = services;
    this.#entries = entries;
  }

  /** Opened before any call runs: every row without an answer is a call that a crash interrupted. */
  static async open(services: CallRepeatServices): Promise<CallRepeats> {
    const rows = await services.rows.list();
    return new CallRepeats(services, rows.map(entryOf));
  }

  /** Whether there is nothing that was interrupted, or repeated and not fetched yet. Each call asks. */
  get isEmpty(): boolean {
    return this.#entries.length === 0;
  }

  /** The row of a call that can be repeated. Undefined if its arguments cannot be sealed: then it runs at most once. */
  async keep(call: KeptCall): Promise<RepeatableCallTable | undefined> {
    const { id, binding, digest, input, approval, timeoutMs, at, keyStorage } = call;
    try {
      const { key, nonce, sealed } = await this.#services.seal.seal(
        id,
        digest,
        canonicalJson(input),
        keyStorage,
      );
      const { principal, client, tool, definition, policy, credentials } = binding;
      return {
        call: id,
        ...{ principal, client, tool, definition, policy, credentials, digest, approval, at },
        arguments_digest: binding.argumentsDigest,
        timeout_ms: Math.round(timeoutMs),
        starts: 1,
        answered_at: null,
        ...{ key, nonce, sealed },
      };
    } catch (error) {
      if (error instanceof HostError) return undefined;
      throw error;
    }
  }

  /** Calls of a principal to repeat now. Each is given back with `release`, `giveUp` or `finish`. */
  async take(principal: string): Promise<RepeatableCallTable[]> {
    if (this.#entries.length === 0) return [];
    await this.#forgetOld();
    const taken = this.#entries.filter((it) => it.state === 'waiting' && it.row.principal === principal);
    for (const entry of taken) {
      entry.state = 'running';
      entry.ended = new Promise((resolve) => {
        entry.end = resolve;
      });
    }
    return taken.map((it) => it.row);
  }

  async argumentsOf(row: RepeatableCallTable): Promise<Json> {
    return JSON.parse(await this.#services.seal.open(row, row.digest)) as Json;
  }

  /** It waits for another session, or for the next host if this one ended it. */
  release({ call }: RepeatableCallTable, starts: number): void {
    this.#entries = this.#entries.map((it) => {
      if (it.row.call !== call) return it;
      it.end();
      return entryOf({ ...it.row, starts });
    });
  }

  /** It will not be repeated; its outcome stays unknown. */
  async giveUp(row: RepeatableCallTable, reason: string): Promise<void> {
    const { call, tool } = row;
    this.#remove(call);
    await this.#services.rows.remove(call);
    const body = { callId: call, tool, status: 'not_repeated', reason };
    await this.#services.audit.append({ kind: 'recovery', body });
  }

  /** Keeps the answer for a while. The outcome is in the audit log, and the arguments are erased. */
  async finish(row: RepeatableCallTable, answer: Answer): Promise<void> {
    const text = canonicalJson(answer as unknown as Json);
    const { key, nonce, sealed } = await this.#services.seal.seal(row.call, answerDigest(row), text);
    // The outcome, which erases the arguments, may still wait for its commit.
    await this.#services.audit.flush();
    const answered = { ...row, key, nonce, sealed, answered_at: this.#services.now() };
    await this.#services.rows.addAnswer(answered);
    const entry = this.#entries.find((it) => it.row.call === row.call);
    this.#entries = [...this.#entries.filter((it) => it !== entry), entryOf(answered)];
    entry?.end();
  }

  /**
   * The answer of the same call, if it was repeated; waits for it if it runs now. It is given once. Undefined if there is
   * none: the caller means a new call.
   */
  async claim(
    { principal, tool, signal }: { principal: string; tool: string; signal: CancelSignal },
    bindingOf: () => Promise<ApprovalBinding>,
  ): Promise<Answer | undefined> {
    const isCandidate = ({ row, state }: Entry) =>
      state !== 'waiting' && row.principal === principal && row.tool === tool;
    if (!this.#entries.some(isCandidate)) return undefined;
    const binding = await bindingOf();
    const isSame = (it: Entry) => isCandidate(it) && isSameCall(it.row, binding);
    const running = this.#entries.find((it) => isSame(it) && it.state === 'running');
    if (running !== undefined) await endOrCancel(running.ended, signal);
    await this.#forgetOld();
    const found = this.#entries.find((it) => isSame(it) && it.state === 'answered')?.row;
    if (found === undefined) return undefined;
    // Removed before anything else can claim it too.
    this.#remove(found.call);
    const text = await this.#services.seal.open(found, answerDigest(found));
    await this.#services.rows.remove(found.call);
    return JSON.parse(text) as Answer;
  }

  /** The operator handled it, or the kill switch stopped it. */
  async discard(
    matches: (subject: KillSubject & { call: string }) => boolean,
    reason: string,
  ): Promise<void> {
    for (const { row, state } of this.#entries) {
      const [packageId, tool] = splitToolName(row.tool);
      const subject = { call: row.call, principal: row.principal, package: packageId, tool };
      if (state === 'waiting' && matches(subject)) await this.giveUp(row, reason);
    }
  }

  /** Resolves when no call of the principal is being repeated; at once if there is none. Default: of any principal. */
  async whenIdle(principal?: string): Promise<void> {
    await Promise.all(this.#running(principal).map((it) => it.ended));
  }

  isRunning(principal: string): boolean {
    return this.#running(principal).length > 0;
  }

  #running(principal: string | undefined): Entry[] {
    return this.#entries.filter(
      ({ row, state }) => state === 'running' && (principal === undefined || row.principal === principal),
    );
  }

  async #forgetOld(): Promise<void> {
    const now = this.#services.now();
    for (const { row, state } of this.#entries) {
      if (state === 'answered' && now - (row.answered_at ?? 0) > answerLifetimeMs) {
        this.#remove(row.call);
        await this.#services.rows.remove(row.call);
      }
      if (state !== 'waiting') continue;
      if (now - row.at > maxAgeMs) await this.giveUp(row, 'it was called more than an hour ago');
      else if (row.starts >= maxStarts) await this.giveUp(row, `${row.starts} hosts did not finish it`);
    }
  }

  #remove(call: string): void {
    this.#entries.find((it) => it.row.call === call)?.end();
    this.#entries = this.#entries.filter((it) => it.row.call !== call);
  }
}

function entryOf(row: RepeatableCallTable): Entry {
  const state = row.answered_at === null ? 'waiting' : 'answered';
  return { row, state, ended: Promise.resolve(), end: () => {} };
}

/** An answer cannot be taken for arguments: both are sealed with the same key. */
function answerDigest({ digest }: RepeatableCallTable): string {
  return `answer ${digest}`;
}

function isSameCall(row: RepeatableCallTable, binding: ApprovalBinding): boolean {
  return (
    row.client === binding.client &&
    row.definition === binding.definition &&
    row.arguments_digest === binding.argumentsDigest &&
    row.policy === binding.policy &&
    row.credentials === binding.credentials
  );
}

function endOrCancel(ended: Promise<void>, signal: CancelSignal): Promise<void> {
  return new Promise((resolve) => {
    const stop = () => resolve();
    if (signal.aborted) return stop();
    signal.addEventListener('abort', stop, { once: true });
    void ended.then(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    });
  });
}
