import type { ApprovalBinding } from '../model/approval.js';
import type { Database } from './database.js';

/** A denied call whose caller asks again. */
export interface DeniedCall {
  /** Id of the held call. */
  readonly approval: string;
  /** What the person wrote for the caller; null if nothing. */
  readonly note: string | null;
}

/** Denials that callers have to hear of. A caller that asks again is told once; then its call is held again. */
export class DenialRows {
  readonly #database: Database;
  readonly #now: () => number;

  constructor(database: Database, now: () => number) {
    this.#database = database;
    this.#now = now;
  }

  async add({ approval, note }: DeniedCall): Promise<void> {
    const row = { note, told: 0 };
    await this.#database
      .insertInto('denial')
      .values({ approval, ...row })
      .onConflict((conflict) => conflict.column('approval').doUpdateSet(row))
      .execute();
  }

  /** The denial of exactly this call that its caller has not heard of, while the held call would still be valid. */
  async untold(binding: ApprovalBinding): Promise<DeniedCall | undefined> {
    return this.#database
      .selectFrom('denial')
      .innerJoin('approval', 'approval.id', 'denial.approval')
      .select(['denial.approval', 'denial.note'])
      .where('denial.told', '=', 0)
      .where('approval.state', '=', 'denied')
      .where('approval.expires_at', '>', this.#now())
      .where('approval.principal', '=', binding.principal)
      .where('approval.client', '=', binding.client)
      .where('approval.tool', '=', binding.tool)
      .where('approval.definition', '=', binding.definition)
      .where('approval.arguments_digest', '=', binding.argumentsDigest)
      .where('approval.policy', '=', binding.policy)
      .where('approval.credentials', '=', binding.credentials)
      .orderBy('approval.created_at', 'desc')
      .executeTakeFirst();
  }

  /** Marks the denial as told. Returns the note of the person, or null. */
  async tell(approval: string): Promise<string | null> {
    const row = await this.#database
      .updateTable('denial')
      .set({ told: 1 })
      .where('approval', '=', approval)
      .returning('note')
      .executeTakeFirst();
    return row?.note ?? null;
  }
}
