import type {
  ApprovalBinding,
  ApprovalDecision,
  ApprovalRequest,
  ApprovalState,
  Channel,
} from '../model/approval.js';
import type { Json } from '../model/json.js';
import type { ApprovalTable, Database } from './database.js';

const keptMs = 3_600_000;

/** What is new about a request when it is made. */
export type Proposal = Omit<ApprovalRequest, 'state' | 'decision' | 'voidReason' | 'answer'>;

/** Requests that something has changed for; all that fit all members. */
export interface Outdated {
  readonly id?: string;
  readonly definition?: string;
  readonly package?: string;
  readonly tool?: string;
  readonly principal?: string;
}

export interface Crowd {
  /** Requests of the principal that nobody decided on. */
  readonly open: number;
  /** Requests since a moment, of the principal and of the session. */
  readonly ofPrincipal: number;
  readonly ofSession: number;
}

/** The durable queue of calls that wait for a person. Every change of state is one compare-and-set. */
export class ApprovalQueue {
  readonly #database: Database;
  readonly #now: () => number;
  readonly #listeners = new Set<() => void>();
  #changes = 0;

  constructor(database: Database, now: () => number) {
    this.#database = database;
    this.#now = now;
  }

  /** Another number after every change of this host. */
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
    return row && fromRow(row);
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
    return rows.map(fromRow);
  }

  /** A request of exactly this call in one of the given states, the newest first. */
  async find(
    binding: ApprovalBinding,
    states: readonly ApprovalState[],
  ): Promise<ApprovalRequest | undefined> {
    await this.#expire();
    const row = await this.#database
      .selectFrom('approval')
      .selectAll()
      .where('principal', '=', binding.principal)
      .where('tool', '=', binding.tool)
      .where('definition', '=', binding.definition)
      .where('arguments_digest', '=', binding.argumentsDigest)
      .where('policy', '=', binding.policy)
      .where('credentials', '=', binding.credentials)
      .where('state', 'in', [...states])
      .orderBy('created_at', 'desc')
      .executeTakeFirst();
    return row && fromRow(row);
  }

  /** Requests for the same arguments in the same place that are still open or approved, whatever else changed. */
  async outstanding(binding: ApprovalBinding): Promise<ApprovalRequest[]> {
    const rows = await this.#database
      .selectFrom('approval')
      .selectAll()
      .where('principal', '=', binding.principal)
      .where('tool', '=', binding.tool)
      .where('arguments_digest', '=', binding.argumentsDigest)
      .where('state', 'in', ['proposed', 'approved'])
      .execute();
    return rows.map(fromRow);
  }

  /** True when this decision is the one that counts: the request was open and in time. */
  async decide(
    id: string,
    to: 'approved' | 'denied',
    { by, channel, verified }: Omit<ApprovalDecision, 'at'>,
  ): Promise<boolean> {
    const now = this.#now();
    const result = await this.#database
      .updateTable('approval')
      .set({ state: to, decided_by: by, decided_at: now, channel, verified: verified ? 1 : 0 })
      .where('id', '=', id)
      .where('state', '=', 'proposed')
      .where('expires_at', '>', now)
      .executeTakeFirst();
    return this.#moved(result.numUpdatedRows);
  }

  /** Once: true for the one caller who may run it now, and only if everything is still what was decided about. */
  async begin(id: string, binding: ApprovalBinding): Promise<boolean> {
    const result = await this.#database
      .updateTable('approval')
      .set({ state: 'executing' })
      .where('id', '=', id)
      .where('state', '=', 'approved')
      .where('expires_at', '>', this.#now())
      .where('principal', '=', binding.principal)
      .where('tool', '=', binding.tool)
      .where('definition', '=', binding.definition)
      .where('arguments_digest', '=', binding.argumentsDigest)
      .where('policy', '=', binding.policy)
      .where('credentials', '=', binding.credentials)
      .executeTakeFirst();
    return this.#moved(result.numUpdatedRows);
  }

  /** Nothing was done: the approval is as good as before. */
  async giveBack(id: string): Promise<void> {
    const result = await this.#database
      .updateTable('approval')
      .set({ state: 'approved' })
      .where('id', '=', id)
      .where('state', '=', 'executing')
      .executeTakeFirst();
    this.#moved(result.numUpdatedRows);
  }

  async finish(id: string, answer: Json): Promise<void> {
    const result = await this.#database
      .updateTable('approval')
      .set({ state: 'executed', answer: JSON.stringify(answer) })
      .where('id', '=', id)
      .where('state', '=', 'executing')
      .executeTakeFirst();
    this.#moved(result.numUpdatedRows);
  }

  /** Makes what was not yet begun void; says which. */
  async invalidate(outdated: Outdated, reason: string): Promise<string[]> {
    let change = this.#database
      .updateTable('approval')
      .set({ state: 'void', void_reason: reason })
      .where('state', 'in', ['proposed', 'approved']);
    if (outdated.id !== undefined) change = change.where('id', '=', outdated.id);
    if (outdated.definition !== undefined) change = change.where('definition', '=', outdated.definition);
    if (outdated.tool !== undefined) change = change.where('tool', '=', outdated.tool);
    if (outdated.principal !== undefined) change = change.where('principal', '=', outdated.principal);
    // All names from `package/` up to what would follow it: `0` is the character after the slash.
    if (outdated.package !== undefined)
      change = change.where('tool', '>=', `${outdated.package}/`).where('tool', '<', `${outdated.package}0`);
    const rows = await change.returning('id').execute();
    if (rows.length > 0) this.#changed();
    return rows.map((it) => it.id);
  }

  /** How much a person was asked already. */
  async crowd(principal: string, session: string, since: number): Promise<Crowd> {
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

  /** Requests run out; what an ended one said is kept for an hour, so that its answer can be asked for again. */
  async #expire(): Promise<void> {
    const now = this.#now();
    const ended = await this.#database
      .updateTable('approval')
      .set({ state: 'expired' })
      .where('state', 'in', ['proposed', 'approved'])
      .where('expires_at', '<=', now)
      .executeTakeFirst();
    this.#moved(ended.numUpdatedRows);
    await this.#database
      .updateTable('approval')
      .set({ arguments: 'null', evidence: '[]', answer: null })
      .where('state', 'in', ['denied', 'expired', 'void', 'executed'])
      .where('expires_at', '<=', now - keptMs)
      .where('arguments', '!=', 'null')
      .execute();
  }

  #moved(rows: bigint): boolean {
    if (rows > 0n) this.#changed();
    return rows === 1n;
  }

  #changed(): void {
    this.#changes++;
    for (const listener of this.#listeners) listener();
  }
}

function fromRow(row: ApprovalTable): ApprovalRequest {
  return {
    id: row.id,
    principal: row.principal,
    session: row.session,
    tool: row.tool,
    definition: row.definition,
    arguments: JSON.parse(row.arguments),
    argumentsDigest: row.arguments_digest,
    policy: row.policy,
    credentials: row.credentials,
    kind: row.kind,
    reasons: JSON.parse(row.reasons),
    evidence: JSON.parse(row.evidence),
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    state: row.state as ApprovalState,
    decision:
      row.decided_by === null
        ? null
        : {
            by: row.decided_by,
            channel: (row.channel ?? 'library') as Channel,
            verified: row.verified === 1,
            at: row.decided_at ?? 0,
          },
    voidReason: row.void_reason,
    answer: row.answer === null ? null : JSON.parse(row.answer),
  };
}
