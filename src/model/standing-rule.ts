import type { Json } from './json.js';

/** What one argument must be. */
export type Condition =
  | { readonly test: 'equals'; readonly value: Json }
  | { readonly test: 'one-of'; readonly values: readonly Json[] }
  /** A path strictly below this one, by its spelling; what links on the disk make of it is not looked at. */
  | { readonly test: 'under'; readonly path: string }
  /** A number up to this; not below zero unless an `at-least` says so. */
  | { readonly test: 'at-most'; readonly number: number }
  | { readonly test: 'at-least'; readonly number: number }
  /** A text that the pattern covers from end to end. */
  | { readonly test: 'matches'; readonly pattern: string }
  /** Whatever it is, and whether it is there or not. */
  | { readonly test: 'any' };

export interface ArgumentCondition {
  /** Name of an argument of the tool. */
  readonly argument: string;
  readonly condition: Condition;
}

/** What an operator wants to allow without being asked each time. */
export interface StandingRuleInput {
  /** `package/tool`. */
  readonly tool: string;
  /** Digest of the package that it is meant for; another definition ends the rule. */
  readonly definition: string;
  /** Null for every caller. */
  readonly principal: string | null;
  readonly conditions: readonly ArgumentCondition[];
  /** It may cover a tool that cannot be undone. */
  readonly destructive: boolean;
  /** Milliseconds since 1970; null until it is revoked. */
  readonly expiresAt: number | null;
}

export interface StandingRule extends StandingRuleInput {
  readonly id: string;
  readonly createdAt: number;
  readonly createdBy: string;
  readonly verified: boolean;
  readonly state: 'holds' | 'expired' | 'ended';
  /** Why it ended: it was revoked, or what it was meant for changed. */
  readonly endReason: string | null;
  /** How often a call ran under it. */
  readonly used: number;
}
