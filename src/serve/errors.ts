import type { HostErrorCode } from '../model/host-error.js';

/** How an error code appears in HTTP, JSON-RPC and as an exit code. */
export interface ErrorRow {
  readonly http: number;
  /** JSON-RPC code for protocol errors. A denied or failed tool call is a normal answer and does not use it. */
  readonly rpc: number;
  readonly exit: number;
}

const row = (http: number, rpc: number, exit: number): ErrorRow => ({ http, rpc, exit });

/** A new error code does not compile until it has a row here. */
export const errorTable = {
  usage: row(400, -32602, 2),
  not_found: row(404, -32602, 2),
  tool_not_found: row(404, -32602, 2),
  invalid_manifest: row(422, -32602, 3),
  invalid_config: row(500, -32603, 3),
  invalid_archive: row(422, -32602, 3),
  invalid_input: row(400, -32602, 2),
  invalid_output: row(502, -32603, 1),
  needs_setup: row(409, -32603, 4),
  auth_required: row(401, -32603, 4),
  approval_required: row(202, -32603, 5),
  approval_pending: row(202, -32603, 5),
  approval_denied: row(403, -32603, 5),
  approval_expired: row(410, -32603, 5),
  approval_not_found: row(404, -32602, 2),
  pin_required: row(403, -32603, 5),
  denied: row(403, -32603, 5),
  guardrail: row(403, -32603, 5),
  rate_limited: row(429, -32603, 5),
  spend_limit: row(403, -32603, 5),
  killed: row(403, -32603, 5),
  disabled: row(403, -32603, 5),
  needs_review: row(403, -32603, 5),
  unavailable: row(409, -32603, 1),
  network_denied: row(403, -32603, 5),
  network_failed: row(502, -32603, 1),
  integrity: row(409, -32603, 6),
  sandbox_unavailable: row(503, -32603, 7),
  runtime_missing: row(503, -32603, 7),
  workspace_unusable: row(409, -32603, 7),
  timeout: row(504, -32603, 8),
  canceled: row(499, -32603, 130),
  out_of_memory: row(502, -32603, 1),
  output_too_large: row(502, -32603, 1),
  tool_failed: row(502, -32603, 1),
  tool_no_output: row(502, -32603, 1),
  tool_bad_output: row(502, -32603, 1),
  upstream_failed: row(502, -32603, 1),
  state_locked: row(503, -32603, 1),
  state_unusable: row(500, -32603, 1),
  host_unreachable: row(503, -32603, 1),
  host_version: row(503, -32603, 1),
  closed: row(503, -32603, 1),
  not_supported: row(501, -32603, 1),
  internal: row(500, -32603, 1),
} as const satisfies Record<HostErrorCode, ErrorRow>;
