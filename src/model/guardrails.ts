import type { JsonSchema } from './json.js';

/** The maximum number of calls within a time window. */
export interface RateLimit {
  readonly count: number;
  readonly per: 'second' | 'minute' | 'hour' | 'day';
}

/** Names of top-level arguments that hold the amount of a call. */
export const amountInputNames = ['amount', 'amount_cents', 'total', 'value'] as const;

/** Length of each time window in milliseconds. */
export const windowMs: Readonly<Record<RateLimit['per'], number>> = {
  second: 1000,
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
};

/** Limits for one tool. An absent member sets no limit. */
export interface ToolGuardrails {
  readonly tool: string;
  readonly approval?: 'none' | 'human';
  readonly maxAmount?: number;
  readonly rateLimit?: RateLimit;
  readonly idempotent?: boolean;
}

/** Limits that the author asks the host to enforce. The scan for secrets is not listed: it always runs. */
export interface Guardrails {
  readonly input: {
    /** Maximum number of characters of the input, written as JSON. */
    readonly maxLength?: number;
    /** Case-insensitive regular expressions. A call whose input matches one is denied. */
    readonly denyPatterns: readonly string[];
    /** Categories of personal data that are removed from the input before the call. */
    readonly redact: readonly string[];
  };
  readonly output: { readonly schema?: JsonSchema };
  readonly tools: readonly ToolGuardrails[];
}

/** The guardrails of a package that declares none. */
export const noGuardrails: Guardrails = Object.freeze({
  input: Object.freeze({ denyPatterns: Object.freeze([]), redact: Object.freeze([]) }),
  output: Object.freeze({}),
  tools: Object.freeze([]),
});
