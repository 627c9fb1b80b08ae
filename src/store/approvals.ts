import type { ApprovalBinding, ApprovalDecision, ApprovalRequest, ApprovalState } from '../model/approval.js';
import type { Json } from '../model/json.js';
import { requestFromRow } from './approval-row.js';
import type { Database } from './database.js';
import { type DefinitionFilter, ofDefinition } from './definition-filter.js';

/** How long arguments and answers of ended requests are stored. */
const retentionMs = 3_600_000;

/** A new request, without the fields that a decision or a run sets. */
export type Proposal = Omit<ApprovalRequest, 'state' | 'decision' | 'voidReason' | 'answer' | 'replacement'>;

/** Selects requests to make void. All given members must match. */
export interface InvalidationFilter extends DefinitionFilter {
  readonly id?: string;
  readonly package?: string;
  readonly tool?: string;
  readonly principal?: string;
}

export interface ApprovalCounts {
  /** Undecided requests of the principal. */
  readonly open: number;
  /** Requests since the given time, of the principal and of the session. */
  readonly ofPrincipal: number;
  readonly ofSession: number;
}

/** The durable queue of held calls. Every state change is one compare-and-set statement. */
export class ApprovalQueue {
  readonly #database: Database;
  readonly #now: () => number;
  readonly #listeners = new Set<() => void>();
  #changes = 0;

  constructor(database: Database, now: () => number) {
    this.#database = database;
    this.#now = now;
  }

  /** Increases with every change made by this host. */
  get changes(): number {
    return this.#changes;
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  async propose(request: Proposal): Promise<void> {
    await this.#database
      .insertInto('approval')
      .values({
        id: request.id,
        principal: request.principal,
        client: request.client,
        session: request.session,
        tool: request.tool,
        definition: request.definition,
        arguments: JSON.stringify(request.arguments),
        arguments_digest: request.argumentsDigest,
        policy: request.policy,
        credentials: request.credentials,
        kind: request.kind,
        reasons: JSON.stringify(request.reasons),
        evidence: JSON.stringify(request.evidence),
        created_at: request.createdAt,
        expires_at: request.expiresAt,
        state: 'proposed',
        decided_at: null,
        decided_by: null,
        channel: null,
        verified: null,
        void_reason: null,
        answer: null,
        replacement: null,
      })
      .execute();
    this.#changed();
  }

  async get(id: string): Promise<ApprovalRequest | undefined> {
    await this.#expire();
    const row = await this.#database
      .selectFrom('approval')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirst();
    return row && requestFromRow(row);
  }

  async list(states: readonly ApprovalState[]): Promise<ApprovalRequest[]> {
    await this.#expire();
    const rows = await this.#database
      .selectFrom('approval')
      .selectAll()
      .where('state', 'in', [...states])
      .orderBy('created_at')
      .orderBy('id')
      .execute();
    return rows.map(requestFromRow);
  }

  /** The newest request for exactly this call in one of the given states. */
  async find(
    binding: ApprovalBinding,
    states: readonly ApprovalState[],
  ): Promise<ApprovalRequest | undefined> {
    await this.#expire();
    const row = await this.#sameCall(binding)
      .where('definition', '=', binding.definition)
      .where('policy', '=', binding.policy)
      .where('credentials', '=', binding.credentials)
      .where('state', 'in', [...states])
      .orderBy('created_at', 'desc')
      .executeTakeFirst();
    return row && requestFromRow(row);
  }

  /** Open or approved requests for the same tool and arguments, even if the definition, policy or credentials changed. */
  async outstanding(binding: ApprovalBinding): Promise<ApprovalRequest[]> {
    const rows = await this.#sameCall(binding).where('state', 'in', ['proposed', 'approved']).execute();
    return rows.map(requestFromRow);
  }

  /** Requests of this caller for the same tool and arguments. */
  #sameCall({ principal, client, tool, argumentsDigest }: ApprovalBinding) {
    return this.#database
      .selectFrom('approval')
      .selectAll()
      .where('principal', '=', principal)
      .where('client', '=', client)
      .where('tool', '=', tool)
      .where('arguments_digest', '=', argumentsDigest);
  }

  /** Requests for a tool since a time, oldest first. Arguments of ended ones may be erased: null. */
  async ofTool(tool: string, since: number): Promise<ApprovalRequest[]> {
    await this.#expire();
    const rows = await this.#database
      .selectFrom('approval')
      .selectAll()
      .where('tool', '=', tool)
      .where('created_at', '>=', since)
      .orderBy('created_at')
      .execute();
    return rows.map(requestFromRow);
  }

  /** Returns true if this decision took effect: the request was undecided and not expired. */
  async decide(
    id: string,
    to: 'approved' | 'denied',
    { by, channel, verified }: Omit<ApprovalDecision, 'at'>,
    replacement: Json | null = null,
  ): Promise<boolean> {
    const now = this.#now();
    const result = await this.#database
      .updateTable('approval')
      .set({
        ...{ state: to, decided_by: by, decided_at: now, channel, verified: verified ? 1 : 0 },
        replacement: replacement === null ? null : JSON.stringify(replacement),
      })
      .where('id', '=', id)
      .where('state', '=', 'proposed')
      .where('expires_at', '>', now)
      .executeTakeFirst();
    return this.#rowsChanged(result.numUpdatedRows);
  }

  /** Returns true to exactly one caller, who may run the call now. Everything must still match what was approved. */
  async begin(id: string, binding: ApprovalBinding): Promise<boolean> {
    const result = await this.#database
      .updateTable('approval')
      .set({ state: 'executing' })
      .where('id', '=', id)
      .where('state', '=', 'approved')
      .where('expires_at', '>', this.#now())
      .where('principal', '=', binding.principal)
      .where('client', '=', binding.client)
      .where('tool', '=', binding.tool)
      .where('definition', '=', binding.definition)
      .where('arguments_digest', '=', binding.argumentsDigest)
      .where('policy', '=', binding.policy)
      .where('credentials', '=', binding.credentials)
      .executeTakeFirst();
    return this.#rowsChanged(result.numUpdatedRows);
  }

  /** Makes the approval usable again, because the call had no effect. */
  async revertToApproved(id: string): Promise<void> {
    const result = await this.#database
      .updateTable('approval')
      .set({ state: 'approved' })
      .where('id', '=', id)
      .where('state', '=', 'executing')
      .executeTakeFirst();
    this.#rowsChanged(result.numUpdatedRows);
  }

  async finish(id: string, answer: Json): Promise<void> {
    const result = await this.#database
      .updateTable('approval')
      .set({ state: 'executed', answer: JSON.stringify(answer) })
      .where('id', '=', id)
      .where('state', '=', 'executing')
      .executeTakeFirst();
    this.#rowsChanged(result.numUpdatedRows);
  }

  /** Makes matching requests void that have not started. Returns their ids. */
  async invalidate(filter: InvalidationFilter, reason: string): Promise<string[]> {
    let change = this.#database
      .updateTable('approval')
      .set({ state: 'void', void_reason: reason })
      .where('state', 'in', ['proposed', 'approved']);
    if (filter.id !== undefined) change = change.where('id', '=', filter.id);
    if (filter.definition !== undefined || filter.view !== undefined)
      change = change.where((it) => ofDefinition(it, filter));
    if (filter.tool !== undefined) change = change.where('tool', '=', filter.tool);
    if (filter.principal !== undefined) change = change.where('principal', '=', filter.principal);
    // The range of all names with the prefix `package/`: `0` is the character after the slash.
    if (filter.package !== undefined)
      change = change.where('tool', '>=', `${filter.package}/`).where('tool', '<', `${filter.package}0`);
    const rows = await change.returning('id').execute();
    if (rows.length > 0) this.#changed();
    return rows.map((it) => it.id);
  }

  /** How many requests a principal has made, for the limits on held calls. */
  async counts(principal: string, session: string, since: number): Promise<ApprovalCounts> {
    await this.#expire();
    const rows = await this.#database
      .selectFrom('approval')
      .select(['session', 'state', 'created_at'])
      .where('principal', '=', principal)
      .where((it) => it.or([it('state', '=', 'proposed'), it('created_at', '>', since)]))
      .execute();
    const fresh = rows.filter((it) => it.created_at > since);
    return {
      open: rows.filter((it) => it.state === 'proposed').length,
      ofPrincipal: fresh.length,
      ofSession: fresh.filter((it) => it.session === session).length,
    };
  }

  /** Expires old requests. Arguments and answers of ended requests stay for an hour, so that a client can ask again. */
  async #expire(): Promise<void> {
    const now = this.#now();
    const ended = await this.#database
      .updateTable('approval')
      .set({ state: 'expired' })
      .where('state', 'in', ['proposed', 'approved'])
      .where('expires_at', '<=', now)
      .executeTakeFirst();
    this.#rowsChanged(ended.numUpdatedRows);
    await this.#database
      .updateTable('approval')
      .set({ arguments: 'null', replacement: null, evidence: '[]', answer: null })
      .where('state', 'in', ['denied', 'expired', 'void', 'executed'])
      .where('expires_at', '<=', now - retentionMs)
      .where('arguments', '!=', 'null')
      .execute();
  }

  #rowsChanged(rows: bigint): boolean {
    if (rows > 0n) this.#changed();
    return rows === 1n;
  }

  #changed(): void {
    this.#changes++;
    for (const listener of this.#listeners) listener();
  }
}
