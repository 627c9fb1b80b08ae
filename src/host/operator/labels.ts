import type { Endorsement } from '../../policy/taint/endorsements.js';
import type { TaintLabel } from '../../policy/taint/taint-label.js';
import type { Actor } from './operator-auth.js';

/** What one session has seen. */
export interface LabelSessionEntry extends TaintLabel {
  readonly id: string;
  readonly principal: string;
  /** The workspace. */
  readonly root: string;
  /** The tool and call whose answer made it untrusted; null if it is trusted. */
  readonly untrustedBy: string | null;
  /** The tool and call whose answer made it private; null if it is public. */
  readonly privateBy: string | null;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly changedAt: number;
}

/** A value that somebody vouched for in one session. */
export interface EndorsementEntry extends Pick<Endorsement, 'source' | 'kind' | 'value' | 'level'> {
  readonly id: string;
  /** Id of the session. */
  readonly session: string;
  /** Package, tool and input; null: any. */
  readonly input: string | null;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly by: string;
  /** Whether the operator's PIN was given. */
  readonly verified: boolean;
}

/** What sessions have seen, and what people vouched for. For people: do not offer these operations to an agent. */
export interface LabelOperations {
  /** Sessions that saw something; changed last first. */
  list(): Promise<readonly LabelSessionEntry[]>;
  /** Throws `not_found` for an unknown id. */
  get(id: string): Promise<LabelSessionEntry>;
  /** Starts a session anew: nothing that it saw counts any more, and its endorsements end. Returns what it had seen. */
  reset(id: string, actor: Actor): Promise<LabelSessionEntry>;
  /** Oldest first. */
  endorsements(): Promise<readonly EndorsementEntry[]>;
  /** False if there is no such endorsement. */
  revoke(id: string, actor: Actor): Promise<boolean>;
}
