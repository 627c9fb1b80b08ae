import type { Json, JsonObject } from './json.js';

/** Permanent error codes. serve/errors.ts maps each of them to HTTP, JSON-RPC and exit codes. */
export const hostErrorCodes = [
  'usage',
  'not_found',
  'tool_not_found',
  'invalid_manifest',
  'invalid_config',
  'invalid_archive',
  'invalid_input',
  'invalid_output',
  'needs_setup',
  'auth_required',
  'approval_required',
  'approval_pending',
  'approval_denied',
  'approval_expired',
  'approval_not_found',
  'pin_required',
  'denied',
  'guardrail',
  'rate_limited',
  'spend_limit',
  'killed',
  'disabled',
  'needs_review',
  'unavailable',
  'network_denied',
  'network_failed',
  'integrity',
  'sandbox_unavailable',
  'runtime_missing',
  'workspace_unusable',
  'timeout',
  'canceled',
  'out_of_memory',
  'output_too_large',
  'tool_failed',
  'tool_no_output',
  'tool_bad_output',
  'upstream_failed',
  'state_locked',
  'state_unusable',
  'host_unreachable',
  'host_version',
  'closed',
  'not_supported',
  'internal',
] as const;

/** One of the permanent error codes. */
export type HostErrorCode = (typeof hostErrorCodes)[number];

/** The error that a tool itself reported, in its own words. Not a code of this host. */
export interface ToolError {
  readonly code?: string;
  readonly message?: string;
  readonly details?: Json;
}

/** The whole result with which an MCP tool reported its error. */
export interface FailedToolResult {
  readonly parts: readonly JsonObject[];
  /** Its structured content; undefined: none. */
  readonly structured?: Json;
  readonly meta?: JsonObject;
}

/** What is wrong at one place of arguments. */
export interface InputProblem {
  /** JSON Pointer; of a member that is missing or unknown, too. */
  readonly pointer: string;
  readonly message: string;
}

/** Optional details of an error. */
export interface HostErrorOptions {
  /** The next step, as a sentence or a command. */
  readonly hint?: string;
  readonly cause?: unknown;
  readonly toolError?: ToolError;
  readonly toolResult?: FailedToolResult | undefined;
  /** For invalid arguments: each problem at its place. */
  readonly problems?: readonly InputProblem[] | undefined;
  /** Set for a failure that may be gone a moment later. Only then a call may be tried again. */
  readonly transient?: Transient | undefined;
  /** The program did not start. */
  readonly notStarted?: boolean | undefined;
  /** The server waits for a person's sign-in. */
  readonly needsSignIn?: boolean | undefined;
}

/** A failure of the way to a tool, not an answer of the tool. */
export interface Transient {
  /** How long to wait before the next try, if the other side says so. */
  readonly afterMs?: number;
}

/** A failure with a message for the user. Bugs are plain `Error`s and are reported as `internal`. */
export class HostError extends Error {
  readonly code: HostErrorCode;
  readonly hint: string | undefined;
  readonly toolError: ToolError | undefined;
  readonly toolResult: FailedToolResult | undefined;
  readonly problems: readonly InputProblem[] | undefined;
  readonly transient: Transient | undefined;
  /** True if the program did not start, so that the call had no effect. */
  readonly notStarted: boolean;
  /** True if the server waits for a person's sign-in, which is possible only after the installation. */
  readonly needsSignIn: boolean;

  constructor(code: HostErrorCode, message: string, options: HostErrorOptions = {}) {
    super(message, options.cause === undefined ? {} : { cause: options.cause });
    this.name = 'HostError';
    this.code = code;
    this.hint = options.hint;
    this.toolError = options.toolError;
    this.toolResult = options.toolResult;
    this.problems = options.problems;
    this.transient = options.transient;
    this.notStarted = options.notStarted === true;
    this.needsSignIn = options.needsSignIn === true;
  }
}

/** The caller of a tool canceled the call. */
export function callCanceled(cause?: unknown): HostError {
  return new HostError('canceled', 'the call was canceled', { cause });
}

/** Converts anything thrown to a `HostError`. The details of a bug go only to the log. */
export function asHostError(error: unknown): HostError {
  if (error instanceof HostError) return error;
  return new HostError('internal', 'internal error in Toolwharf', {
    cause: error,
    hint: 'run it again with -v for details, and report the bug',
  });
}
