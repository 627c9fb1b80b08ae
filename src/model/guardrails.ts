import type { JsonSchema } from './json.js';

export interface RateLimit {
  readonly count: number;
  readonly per: 'second' | 'minute' | 'hour' | 'day';
}

/** Inputs that say how much a call is worth, at the top of the arguments only. */
export const amountNames = ['amount', 'amount_cents', 'total', 'value'] as const;

export const windowMs: Readonly<Record<RateLimit['per'], number>> = {
  second: 1000,
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
};

/** Rules for one tool. Absent members add nothing. */
export interface ToolRule {
  readonly tool: string;
  readonly approval?: 'none' | 'human';
  readonly maxAmount?: number;
  readonly rateLimit?: RateLimit;
  readonly idempotent?: boolean;
}

/** What a creator asks the host to enforce. The secret scan has no switch: it always runs. */
export interface Guardrails {
  readonly input: {
    /** Characters of the input written as JSON. */
    readonly maxLength?: number;
    /** Regular expressions, case-insensitive; one match refuses the call. */
    readonly denyPatterns: readonly string[];
    /** Categories of personal data that are replaced before the call. */
    readonly redact: readonly string[];
  };
  readonly output: { readonly schema?: JsonSchema };
  readonly tools: readonly ToolRule[];
}

export const noGuardrails: Guardrails = Object.freeze({
  input: Object.freeze({ denyPatterns: Object.freeze([]), redact: Object.freeze([]) }),
  output: Object.freeze({}),
  tools: Object.freeze([]),
});
