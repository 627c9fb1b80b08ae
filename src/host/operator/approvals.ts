import type { ApprovalRequest, ApprovalState } from '../../model/approval.js';
import type { CancelSignal } from '../../model/cancel-signal.js';
import type { Json, JsonObject } from '../../model/json.js';
import type { StandingRule, StandingRuleInput } from '../../model/standing-rule.js';
import type { ApprovalLinkOperations } from './approval-links.js';
import type { Actor } from './operator-auth.js';

/** Operations on held calls, for people. Do not offer them to an agent. */
export interface Approvals {
  /** Default: calls that wait for a decision, or are approved and did not run yet. */
  list(states?: readonly ApprovalState[]): Promise<readonly ApprovalRequest[]>;
  /** Throws `approval_not_found` for an unknown id. */
  get(id: string): Promise<ApprovalRequest>;
  /**
   * Lets exactly this call run, once. `note`: for the audit log. `asked`: what the person asked the agent for, in their own words;
   * once the call runs, it vouches for the values in it. Only for calls that are held for what their session has seen.
   */
  approve(id: string, actor: Actor, note?: string, asked?: string): Promise<ApprovalRequest>;
  /**
   * Lets the call run once, with other arguments, which are checked like those of a new call. The caller is told which
   * arguments were used.
   */
  approveWith(id: string, args: JsonObject, actor: Actor, note?: string): Promise<ApprovalRequest>;
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
  /** Which held calls of the last days a rule would have answered. Changes nothing. Default: 7 days. */
  preview(rule: StandingRuleInput, days?: number): Promise<RulePreview>;
  /** False if there is no such rule in force. */
  revoke(id: string, actor: Actor): Promise<boolean>;
}

/** What a standing rule would have done. Arguments of ended calls are erased after an hour, so some are unknown. */
export interface RulePreview {
  /** Milliseconds since 1970. */
  readonly since: number;
  /** Held calls of the tool since then. */
  readonly held: number;
  readonly answered: number;
  readonly asked: number;
  readonly unknown: number;
  /** Those that it would have answered, newest first, at most 20. */
  readonly calls: readonly {
    readonly id: string;
    readonly at: number;
    readonly principal: string;
    readonly arguments: Json;
    readonly state: ApprovalState;
  }[];
}
