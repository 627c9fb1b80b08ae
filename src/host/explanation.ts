// What `explain` answers. Surfaces find all of it in host.ts.
import type { RateLimit } from '../model/guardrails.js';
import type { HostErrorCode } from '../model/host-error.js';
import type { Json, JsonSchema } from '../model/json.js';
import type { FilesystemAccess, NetworkAccess, NetworkHost } from '../model/permissions.js';
import type { RuleOrigin } from '../model/rule.js';
import type { Effect } from '../model/tool.js';

export interface ExplainRequest {
  /** `package/tool` or an exposed name. */
  readonly tool: string;
  /** Without them only the tool is judged. */
  readonly arguments?: Json | undefined;
}

/** Something with whoever said it. */
export interface Sourced<T> {
  readonly value: T;
  readonly origin: RuleOrigin;
}

export interface ExplainedLimit {
  /** `length`, `amount` and `ask_above` are of one call; `rate` and `spend` of a window. */
  readonly kind: 'length' | 'amount' | 'ask_above' | 'rate' | 'spend';
  readonly most: number;
  readonly per?: RateLimit['per'];
  /** What is left of it for this caller now. */
  readonly left?: number;
  readonly origin: RuleOrigin;
}

/** What a call may have at most: declared and granted, less what was ruled out. */
export interface ExplainedPermissions {
  readonly network: NetworkAccess;
  readonly filesystem: FilesystemAccess;
  /** The workspace, where the tool sees one. */
  readonly root?: string;
  readonly roots: readonly string[] | null;
  readonly granted: {
    readonly network: readonly NetworkHost[];
    readonly read: readonly string[];
    readonly write: readonly string[];
    readonly environment: readonly string[];
  };
  readonly denied: readonly string[];
}

/** What would happen to a call now, and why. */
export interface Explanation {
  readonly tool: string;
  readonly verdict: 'allow' | 'ask' | 'deny' | 'limit' | 'invalid' | 'not-ready';
  /** What the call would be refused with. */
  readonly code?: HostErrorCode;
  readonly because: readonly { readonly text: string; readonly origin: RuleOrigin }[];
  readonly effect: { readonly value: Effect; readonly declared: boolean };
  readonly trusted: boolean;
  /** Digest of the whole policy: approvals are bound to it. */
  readonly policy: string;
  readonly permissions: ExplainedPermissions;
  readonly limits: readonly ExplainedLimit[];
  readonly guardrails: {
    readonly denyPatterns: readonly Sourced<string>[];
    readonly redact: readonly Sourced<string>[];
    readonly outputs: readonly Sourced<JsonSchema>[];
    /** Secrets are guessed in its answers by what stands around them. */
    readonly guesses: boolean;
  };
}
