import type { Json } from './json.js';

/** A test that one argument must pass. */
export type Condition =
  | { readonly test: 'equals'; readonly value: Json }
  | { readonly test: 'one-of'; readonly values: readonly Json[] }
  /** A path strictly below this one. Only the text is compared; symbolic links are not resolved. */
  | { readonly test: 'under'; readonly path: string }
  /** A number up to this. Negative numbers fail unless an `at-least` allows them. */
  | { readonly test: 'at-most'; readonly number: number }
  | { readonly test: 'at-least'; readonly number: number }
  /** A text that matches the pattern from start to end. */
  | { readonly test: 'matches'; readonly pattern: string }
  /** Any value, or no value. */
  | { readonly test: 'any' };

/** A condition on one argument of a tool. */
export interface ArgumentCondition {
  readonly argument: string;
  readonly condition: Condition;
}

/** Kinds of held calls that a standing rule can answer. All others need a person each time. */
export const answerableKinds: ReadonlySet<string> = new Set([
  'human_confirm',
  'approval',
  'destructive',
  'undeclared_effect',
]);

/** Calls that an operator allows without deciding on each one. */
export interface StandingRuleInput {
  /** `package/tool`, or `package/*` for a whole package. */
  readonly tool: string;
  /**
   * Digest of the package. The rule ends when the package changes. Null for a whole package: the rule then answers only
   * the question about undeclared effects, and stays while the package changes.
   */
  readonly definition: string | null;
  /** Null for every caller. */
  readonly principal: string | null;
  readonly conditions: readonly ArgumentCondition[];
  /** Whether the rule also covers destructive tools. */
  readonly destructive: boolean;
  /** Milliseconds since 1970. Null: valid until it is revoked. */
  readonly expiresAt: number | null;
}

/** A standing rule as it is stored. */
export interface StandingRule extends StandingRuleInput {
  readonly id: string;
  readonly createdAt: number;
  readonly createdBy: string;
  readonly verified: boolean;
  readonly state: 'active' | 'expired' | 'ended';
  /** Why the rule ended: it was revoked, or the package changed. Null while it has not ended. */
  readonly endReason: string | null;
  /** How many calls the rule allowed. */
  readonly used: number;
}

/** A condition as people read it. */
export function conditionText({ argument, condition }: ArgumentCondition): string {
  switch (condition.test) {
    case 'any':
      return `${argument} has any value`;
    case 'equals':
      return `${argument} is ${JSON.stringify(condition.value)}`;
    case 'one-of':
      return `${argument} is one of ${condition.values.map((it) => JSON.stringify(it)).join(', ')}`;
    case 'under':
      return `${argument} is a path under ${condition.path}`;
    case 'at-most':
      return `${argument} is at most ${condition.number}`;
    case 'at-least':
      return `${argument} is at least ${condition.number}`;
    case 'matches':
      return `${argument} matches ${condition.pattern}`;
  }
}
