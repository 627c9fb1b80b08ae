import type { ApprovalRequest } from '../../model/approval.js';
import type { Endorsement } from '../../policy/taint/endorsements.js';
import type { TaintHold } from '../../policy/taint/taint-verdict.js';
import type { TaintHoldRows } from '../../store/taint-holds.js';
import type { LabelSessions } from './label-sessions.js';

/** Held calls whose approval vouches for the values for which nobody vouched before. */
export class TaintHolds {
  readonly #rows: TaintHoldRows;
  readonly #labels: LabelSessions;

  constructor(rows: TaintHoldRows, labels: LabelSessions) {
    this.#rows = rows;
    this.#labels = labels;
  }

  async add(approval: string, session: string, { findings }: TaintHold): Promise<void> {
    const endorses = findings.flatMap((it) => it.endorses);
    await this.#rows.add({ approval, session, endorses: JSON.stringify(endorses) });
  }

  /** What a person says that they asked for: it vouches once the call runs, like the values of the call. */
  async addWords(approval: string, text: string): Promise<void> {
    const row = await this.#rows.get(approval);
    if (row === undefined) return;
    const endorses = JSON.parse(row.endorses) as readonly Endorsement[];
    const words: Endorsement = { source: 'words', kind: 'words', value: text, level: 'pay' };
    await this.#rows.change(approval, JSON.stringify([...endorses, words]));
  }

  /**
   * An approved call runs now. Until then its values are not endorsed: the same call must find its approval and use it up.
   */
  async endorse({ id, decision }: ApprovalRequest): Promise<void> {
    const row = await this.#rows.get(id);
    if (row === undefined || decision === null) return;
    const { by, channel, verified } = decision;
    const endorses = JSON.parse(row.endorses) as readonly Endorsement[];
    await this.#labels.endorse(row.session, endorses, { by, channel, verified });
  }
}
