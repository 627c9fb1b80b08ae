import type { ApprovalRequest, ApprovalState } from '../../model/approval.js';
import type { CancelSignal } from '../../model/cancel-signal.js';
import type { StandingRule, StandingRuleInput } from '../../model/standing-rule.js';
import type { ApprovalLinkOperations } from './approval-links.js';
import type { Actor } from './operator-auth.js';

/** Operations on held calls, for people. Do not offer them to an agent. */
export interface Approvals {
  /** Default: calls that wait for a decision, or are approved and did not run yet. */
  list(states?: readonly ApprovalState[]): Promise<readonly ApprovalRequest[]>;
  /** Throws `approval_not_found` for an unknown id. */
  get(id: string): Promise<ApprovalRequest>;
  /** Lets exactly this call run, once. `note`: for the audit log. */
  approve(id: string, actor: Actor, note?: string): Promise<ApprovalRequest>;
  /** `note`: what the person tells the caller. */
  deny(id: string, actor: Actor, note?: string): Promise<ApprovalRequest>;
  /** Links to the page of a held call; only in the process of the host. */
  readonly links: ApprovalLinkOperations;
  readonly rules: StandingRuleOperations;
  /** A text that changes whenever a held call changes. */
  version(): Promise<string>;
  /** Returns a function that stops the listener. */
  onChange(listener: () => void): () => void;
  /** Resolves to the version as soon as it differs from `after`, or when the time is up. */
  waitForChange(after: string, seconds: number, signal?: CancelSignal): Promise<string>;
  /** The key that signs notices of held calls, as hex, for the receiver of the webhook. */
  noticeKey(actor: Actor): Promise<string>;
}

/** Rules that let calls run without an approval each time. */
export interface StandingRuleOperations {
  list(): Promise<readonly StandingRule[]>;
  add(rule: StandingRuleInput, actor: Actor): Promise<StandingRule>;
  /** False if there is no such rule in force. */
  revoke(id: string, actor: Actor): Promise<boolean>;
}
