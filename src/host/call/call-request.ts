// The types of a call and its answer. host.ts exports all of them.
import type { Evidence } from '../../model/approval.js';
import type { CancelSignal } from '../../model/cancel-signal.js';
import type { FailedToolResult, HostErrorCode, ToolError } from '../../model/host-error.js';
import type { Json, JsonObject } from '../../model/json.js';
import type { HookPoint } from '../../model/package.js';
import type { ConfirmationKind } from '../../policy/decide.js';
import type { BinaryContent, CallLogging, ClientRequests, Progress } from '../../run/run.js';
import type { ExplainedFinding } from './explanation.js';

/** A call of a tool. */
export interface CallRequest {
  /** `package/tool`, an exposed name, or `patch_confirm_action`. */
  readonly tool: string;
  readonly arguments: Json;
  /**
   * What the user wrote, from a program that gets it from them. It vouches for the names, addresses and amounts in it, so it must
   * never be text of a model. Only in the process of the host: other callers cannot set it.
   */
  readonly userText?: string | undefined;
  /** What a client says its user wrote. Counts only if `taint.userText` of the policy names the principal. */
  readonly clientText?: Json | undefined;
  /**
   * A person typed the arguments in this process, such as in the console: nobody else chose what the call does. Never for the call
   * of a model. Calls that it makes itself are judged. Default: false.
   */
  readonly isTyped?: boolean | undefined;
  /** Default: the tool's own time limit. Bounded by `limits.wallSeconds` of the policy. */
  readonly timeoutMs?: number | undefined;
  /** Cancels the call. */
  readonly signal?: CancelSignal | undefined;
  /** Receives the progress that a tool reports. */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /**
   * The `_meta` of an MCP request. Passed to MCP servers unless somebody or a standing rule approved the call, or a
   * guardrail or before hook looks at its arguments: this is none of them.
   */
  readonly meta?: JsonObject | undefined;
  /** Receives what the scanner removed from the answer, each time it removed something. */
  readonly onRemoved?: ((findings: readonly ExplainedFinding[]) => void) | undefined;
  /** Receives the log messages that an MCP server writes during the call. */
  readonly logging?: CallLogging | undefined;
  /**
   * For MCP Apps. `shown`: the client shows apps, so the call may come from one. `hidden`: only the model can have made it,
   * and tools that are for apps alone do not exist for it. Default: neither applies, the caller is a program.
   */
  readonly apps?: 'shown' | 'hidden' | undefined;
  /**
   * Asks a person a question of the tool: receives the `params` of MCP's `elicitation/create`, resolves to its
   * result. If absent, the question is declined.
   */
  readonly onAsk?: ((question: JsonObject) => Promise<JsonObject>) | undefined;
  /** Called when an MCP server runs the call as a task, so that its answer may take long. */
  readonly onTask?: (() => void) | undefined;
  /**
   * Passes other requests of an MCP server to the client: sampling and roots. Only those that `serverRequests` of the
   * policy allows reach it.
   */
  readonly clientRequests?: ClientRequests | undefined;
}

/** Why a call has no result. */
export interface AnswerError {
  readonly code: HostErrorCode;
  readonly message: string;
  /** The next step. */
  readonly hint?: string;
  /** The error that the tool reported itself, if its format has a shape for errors. */
  readonly toolError?: ToolError;
  /** All of the result with which an MCP tool reported its error. */
  readonly toolResult?: FailedToolResult;
}

/** A held call: it runs only after it is confirmed or approved. */
export interface Confirmation {
  /** Identifies the held call. It permits nothing by itself. */
  readonly token: string;
  readonly kind: ConfirmationKind;
  /** Why the call is held. */
  readonly reasons: readonly string[];
  /** The tool and arguments that run after approval. */
  readonly tool: string;
  readonly arguments: Json;
  readonly evidence: readonly Evidence[];
  /** When the held call expires: ISO 8601, UTC. */
  readonly expiresAt: string;
  /** The page where a person can decide; absent if the host serves none. It shows the call to everybody who has the URL. */
  readonly url?: string;
}

export interface AnswerBase {
  readonly tool: string;
  /** Identifies the call in the audit log. */
  readonly callId: string;
  readonly durationMs: number;
  /** A person approved the call with these arguments instead of those of the caller. */
  readonly replaced?: { readonly arguments: JsonObject };
}

/** The answer to a call: a result, an error, or a held call that waits for confirmation. */
export type Answer = AnswerBase &
  (
    | {
        readonly status: 'ok';
        readonly result: Json;
        /** Set if the result is binary content: a text in base64. */
        readonly binary?: BinaryContent;
        /** Output of the tool beside its result, for people; without secrets. */
        readonly log?: string;
        readonly warnings: readonly string[];
        /** The result as MCP content blocks, if the tool is an MCP tool. */
        readonly parts?: readonly JsonObject[];
        /** The result is the structured content of an MCP result, beside `parts`. */
        readonly structured?: boolean;
        /** `_meta` of the MCP result. */
        readonly meta?: JsonObject;
      }
    | {
        readonly status: 'error' | 'denied' | 'timeout' | 'external_auth_required';
        readonly error: AnswerError;
      }
    | {
        readonly status: 'confirmation_required';
        readonly confirmation: Confirmation;
        readonly error?: AnswerError;
      }
  );

/** Hook points that a program embedding the host triggers itself. */
export type MessagePoint = Extract<HookPoint, 'before_message' | 'after_message'>;

export type MessageVerdict =
  | { readonly kind: 'go'; readonly message: JsonObject; readonly changedBy: readonly string[] }
  | { readonly kind: 'abort'; readonly reason: string; readonly by: string };
