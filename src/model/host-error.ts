/** Permanent codes of refusals and failures. Every surface maps all of them (serve/errors.ts). */
export const hostErrorCodes = [
  'usage',
  'not_found',
  'tool_not_found',
  'invalid_manifest',
  'invalid_config',
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
  'not_supported',
  'internal',
] as const;

export type HostErrorCode = (typeof hostErrorCodes)[number];

export interface HostErrorOptions {
  /** The next step, as a sentence or a command. */
  readonly hint?: string;
  readonly cause?: unknown;
}

/** A refusal or failure that somebody should read. Bugs are plain errors and become `internal`. */
export class HostError extends Error {
  readonly code: HostErrorCode;
  readonly hint: string | undefined;

  constructor(code: HostErrorCode, message: string, options: HostErrorOptions = {}) {
    super(message, options.cause === undefined ? {} : { cause: options.cause });
    this.name = 'HostError';
    this.code = code;
    this.hint = options.hint;
  }
}

/** Anything thrown, as something to show; a bug keeps its details for the log. */
export function asHostError(error: unknown): HostError {
  if (error instanceof HostError) return error;
  return new HostError('internal', 'something went wrong inside Toolwharf', {
    cause: error,
    hint: 'run it again with -v for details, and report it',
  });
}
