import type { RateLimit } from './guardrails.js';
import type { JsonSchema } from './json.js';
import type { Effect } from './tool.js';

/** Why the host itself asks, such as that the call cannot be undone, or that nobody declared what the tool does. */
export type BuiltInCause = 'destructive' | 'undeclared-effect' | 'taint' | 'quarantine';

/** Where a rule comes from. `session`: a program that uses the host as a library. */
export type RuleOrigin =
  | { readonly kind: 'built-in'; readonly cause?: BuiltInCause }
  | { readonly kind: 'manifest'; readonly file: string }
  | { readonly kind: 'user' | 'project'; readonly file: string; readonly line: number }
  | { readonly kind: 'session' };

/** The maximum total amount within a time window, for one principal and tool. */
export interface SpendCap {
  readonly amount: number;
  readonly per: RateLimit['per'];
}

/**
 * A requirement for the calls that it matches. Authors, operators and the host all use this type. All rules that match a
 * call apply together, so one more rule can only make the policy stricter. The exception is `allow`: it removes the need
 * for approval, and only the operator can use it.
 */
export interface Rule {
  /** A package or `package/tool`; `*` matches any characters. */
  readonly tool: string;
  /** Applies only to tools with one of these effects. Default: all tools. */
  readonly effects?: readonly Effect[];
  /** `allow` removes only the approval that the host requires by default; see `overManifest`. */
  readonly approval?: 'allow' | 'ask' | 'deny';
  /** True: `allow` also removes the approval that the manifest requires. */
  readonly overManifest?: boolean;
  /** Calls with a larger amount need approval. */
  readonly askAbove?: number;
  /** Maximum number of characters of the input, written as JSON. */
  readonly maxLength?: number;
  /** Regular expressions; a call whose input matches one is denied. */
  readonly denyPatterns?: readonly string[];
  /** Categories of personal data that are removed from the input. */
  readonly redact?: readonly string[];
  readonly rateLimit?: RateLimit;
  /** Maximum amount of one call. */
  readonly maxAmount?: number;
  readonly spend?: SpendCap;
  /** A schema that results must match. */
  readonly outputSchema?: JsonSchema;
  /** The effect of tools whose manifest declares none. */
  readonly undeclaredEffect?: Effect;
  /** Shown to the caller who is denied and to the person who is asked. */
  readonly reason?: string;
  readonly origin: RuleOrigin;
}

/** The origin in the form that messages use. */
export function ruleOriginText(origin: RuleOrigin): string {
  switch (origin.kind) {
    case 'built-in':
      return 'built in';
    case 'manifest':
      return `manifest ${origin.file}`;
    case 'user':
    case 'project':
      return `${origin.file}:${origin.line}`;
    case 'session':
      return 'the program that opened the session';
  }
}
