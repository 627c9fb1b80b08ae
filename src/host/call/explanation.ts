// The types of `explain`. host.ts exports all of them.

import type { Evidence } from '../../model/approval.js';
import type { RateLimit } from '../../model/guardrails.js';
import type { HostErrorCode, InputProblem } from '../../model/host-error.js';
import type { Json, JsonSchema } from '../../model/json.js';
import type { Cost, SmokeTest } from '../../model/lifecycle.js';
import type { Fact } from '../../model/package.js';
import type { FilesystemAccess, NetworkAccess, NetworkHost } from '../../model/permissions.js';
import type { RuleOrigin } from '../../model/rule.js';
import type { Effect } from '../../model/tool.js';
import type { TaintMode } from '../../policy/taint/taint-verdict.js';

/** A call to explain. */
export interface ExplainRequest {
  /** `package/tool` or an exposed name. */
  readonly tool: string;
  /** If absent, only the tool is checked. */
  readonly arguments?: Json | undefined;
  /** An answer of the tool: the explanation then says what the scanner removes from it. */
  readonly result?: Json | undefined;
  /** As in a call: a person typed the arguments in this process. Not sent to a host in another process. Default: false. */
  readonly isTyped?: boolean | undefined;
}

/** Something in an answer that the scanner takes for a secret. */
export interface ExplainedFinding {
  /** Such as `result.items[0].token`. */
  readonly path: string;
  /** The rule; for a value of the vault, its slot. */
  readonly rule: string;
  /** A value of the vault, the format of a provider's key, or a guess from the name before it. */
  readonly reason: 'value' | 'format' | 'guess';
  /** Whether an exemption of the operator keeps it. */
  readonly exempt: boolean;
  /** The item of `scan.exempt` that keeps it; absent for values of the vault, which cannot be exempted. */
  readonly setting?: string;
}

/** A value of a call for which nobody vouched. */
export interface ExplainedValue {
  /** Such as `destination`; docs/design/taint.md explains each. */
  readonly rule: string;
  /** JSON Pointer in the arguments; empty if it is about the call itself. */
  readonly pointer: string;
  /** For the person: the value, and where it was first seen. */
  readonly text: string;
}

/** What is known about a tool for the question which data may steer it. */
export interface ExplainedTaint {
  readonly mode: TaintMode;
  /** Whether the session has seen text of others. */
  readonly untrusted: boolean;
  /** By input: `destination`, `identifier`, `control`, `content`, `query` or `handle`. */
  readonly inputs: Readonly<Record<string, string>>;
}

/** A value with the rule it comes from. */
export interface Sourced<T> {
  readonly value: T;
  readonly origin: RuleOrigin;
}

/** One limit that applies to a call. */
export interface ExplainedLimit {
  /** `length`, `amount` and `ask_above` limit one call; `rate` and `spend` limit a time window. */
  readonly kind: 'length' | 'amount' | 'ask_above' | 'rate' | 'spend';
  /** The maximum. */
  readonly most: number;
  /** The time window. */
  readonly per?: RateLimit['per'];
  /** What this caller has left now; absent for limits of one call. */
  readonly left?: number;
  readonly origin: RuleOrigin;
}

/** What a call may use: what is declared and granted, without what is denied. */
export interface ExplainedPermissions {
  readonly network: NetworkAccess;
  readonly filesystem: FilesystemAccess;
  /** The permissions of its package that this tool uses. Absent: it may use all of them. */
  readonly narrowedTo?: readonly string[];
  /** The workspace; absent if the tool sees none. */
  readonly root?: string;
  /** Folders that may be mounted; null if any may. */
  readonly roots: readonly string[] | null;
  readonly granted: {
    readonly network: readonly NetworkHost[];
    readonly read: readonly string[];
    readonly write: readonly string[];
    readonly environment: readonly string[];
  };
  readonly denied: readonly string[];
}

/** What would happen to a call now, and why. Nothing runs. */
export interface Explanation {
  readonly tool: string;
  readonly verdict: 'allow' | 'ask' | 'deny' | 'limit' | 'invalid' | 'not-ready';
  /** The error code of the call; absent for `allow` and `ask`. */
  readonly code?: HostErrorCode;
  readonly because: readonly { readonly text: string; readonly origin: RuleOrigin }[];
  /** Values for which nobody vouched in this session, with where they were seen. Absent: the call is not held for them. */
  readonly seen?: readonly ExplainedValue[];
  /** How strictly its calls are judged by what their session has seen, and what its inputs decide. */
  readonly taint: ExplainedTaint;
  /** What a person would see of the call: its effect, places and amounts, and where its values come from. */
  readonly evidence?: readonly Evidence[];
  /** For `invalid` arguments: each problem at its place. */
  readonly problems?: readonly InputProblem[];
  readonly effect: { readonly value: Effect; readonly declared: boolean };
  /** Inputs that may contain data from untrusted sources. */
  readonly untrustedInputs: readonly string[];
  readonly trusted: boolean;
  /** Settings about this tool that have no effect until the operator accepts them. */
  readonly inactive: readonly {
    readonly id: string;
    readonly text: string;
    readonly origin: RuleOrigin | null;
  }[];
  /** Digest of the whole policy: approvals are bound to it. */
  readonly policy: string;
  readonly permissions: ExplainedPermissions;
  readonly limits: readonly ExplainedLimit[];
  readonly guardrails: {
    readonly denyPatterns: readonly Sourced<string>[];
    readonly redact: readonly Sourced<string>[];
    readonly outputs: readonly Sourced<JsonSchema>[];
    /** Whether text in its answers counts as a secret because of its surroundings. */
    readonly guesses: boolean;
    /** Findings of the scanner that the operator keeps, as `TOOL PATH RULE`. */
    readonly exempt: readonly string[];
  };
  /** What the scanner finds in the given answer; absent without one. */
  readonly findings?: readonly ExplainedFinding[];
  /** How its package tests itself, if the manifest says it. */
  readonly smoke?: SmokeTest;
  /** What using its package costs, if the manifest says it. */
  readonly cost?: Cost;
  /** Where people get help; empty if the manifest does not say it. */
  readonly support: readonly Fact[];
}
