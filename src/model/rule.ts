import type { RateLimit } from './guardrails.js';
import type { JsonSchema } from './json.js';
import type { Effect } from './tool.js';

/** Who made a rule. `session` is a program that uses the host as a library. */
export type RuleOrigin =
  | { readonly kind: 'built-in' }
  | { readonly kind: 'manifest'; readonly file: string }
  | { readonly kind: 'user' | 'project'; readonly file: string; readonly line: number }
  | { readonly kind: 'session' };

/** So much in all within a time, for one principal and tool. */
export interface SpendCap {
  readonly amount: number;
  readonly per: RateLimit['per'];
}

/**
 * What somebody wants to hold for the calls it names. Creator, operator and platform speak through the same shape, and
 * all rules that name a call hold together: one more can only refuse more. The exception is `allow`, which takes
 * questions away and belongs to the operator alone.
 */
export interface Rule {
  /** `*`, a package, `package/tool`, each with `*` for any characters. */
  readonly tool: string;
  /** Only tools with one of these effects; all unless told. */
  readonly effects?: readonly Effect[];
  /** `allow` takes away the built-in question only, unless `overManifest` says that the manifest's may go too. */
  readonly approval?: 'allow' | 'ask' | 'deny';
  readonly overManifest?: boolean;
  /** A person is asked for calls of more than this. */
  readonly askAbove?: number;
  /** Characters of the input written as JSON. */
  readonly maxLength?: number;
  readonly denyPatterns?: readonly string[];
  readonly redact?: readonly string[];
  readonly rateLimit?: RateLimit;
  /** Of one call. */
  readonly maxAmount?: number;
  readonly spend?: SpendCap;
  readonly outputSchema?: JsonSchema;
  /** What tools do whose manifest does not say. */
  readonly undeclaredEffect?: Effect;
  /** For whoever is refused or asked. */
  readonly reason?: string;
  readonly origin: RuleOrigin;
}

export function originText(origin: RuleOrigin): string {
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
