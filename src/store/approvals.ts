import type { ApprovalRequest, ApprovalState } from '../model/approval.js';
import type { Json } from '../model/json.js';
import type { ApprovalTable, Database } from './database.js';

const keptMs = 3_600_000;

/** The durable queue of calls that wait for a person. Every change of state is a compare-and-set. */
export class ApprovalQueue {
  readonly #database: Database;
  readonly #now: () => number;

  constructor(database: Database, now: () => number) {
    this.#database = database;
    this.#now = now;
  }

  async propose(request: Omit<ApprovalRequest, 'state' | 'answer'>): Promise<void> {
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
        kind: request.kind,
        reasons: JSON.stringify(request.reasons),
        created_at: request.createdAt,
        expires_at: request.expiresAt,
        state: 'proposed',
        decided_at: null,
        decided_by: null,
        answer: null,
      })
      .execute();
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
    call: Pick<ApprovalRequest, 'principal' | 'tool' | 'definition' | 'argumentsDigest'>,
    states: readonly ApprovalState[],
  ): Promise<ApprovalRequest | undefined> {
    await this.#expire();
    const row = await this.#database
      .selectFrom('approval')
      .selectAll()
      .where('principal', '=', call.principal)
      .where('tool', '=', call.tool)
      .where('definition', '=', call.definition)
      .where('arguments_digest', '=', call.argumentsDigest)
      .where('state', 'in', [...states])
      .orderBy('created_at', 'desc')
      .executeTakeFirst();
    return row && fromRow(row);
  }

  /** True when this call made the change; false when the request was not in the state expected. */
  async move(id: string, from: ApprovalState, to: ApprovalState, by?: string): Promise<boolean> {
    await this.#expire();
    const result = await this.#database
      .updateTable('approval')
      .set({ state: to, ...(by === undefined ? {} : { decided_by: by, decided_at: this.#now() }) })
      .where('id', '=', id)
      .where('state', '=', from)
      .executeTakeFirst();
    return result.numUpdatedRows === 1n;
  }

  async finish(id: string, answer: Json): Promise<void> {
    await this.#database
      .updateTable('approval')
      .set({ state: 'executed', answer: JSON.stringify(answer) })
      .where('id', '=', id)
      .where('state', '=', 'executing')
      .execute();
  }

  /** Requests run out; what an ended one said is kept for an hour, so that its answer can be asked for again. */
  async #expire(): Promise<void> {
    const now = this.#now();
    await this.#database
      .updateTable('approval')
      .set({ state: 'expired' })
      .where('state', 'in', ['proposed', 'approved'])
      .where('expires_at', '<=', now)
      .execute();
    await this.#database
      .updateTable('approval')
      .set({ arguments: 'null', answer: null })
      .where('state', 'in', ['denied', 'expired', 'executed'])
      .where('expires_at', '<=', now - keptMs)
      .where('arguments', '!=', 'null')
      .execute();
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
    kind: row.kind,
    reasons: JSON.parse(row.reasons),
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    state: row.state as ApprovalState,
    answer: row.answer === null ? null : JSON.parse(row.answer),
  };
}
