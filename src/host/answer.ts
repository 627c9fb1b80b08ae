import type { ApprovalRequest } from '../model/approval.js';
import { asHostError, type HostErrorCode } from '../model/host-error.js';
import type { Answer, Confirmation } from './host.js';

type FailedStatus = 'error' | 'denied' | 'timeout' | 'external_auth_required';

/** Refusals by rule are `denied`; what broke is `error`. */
export function statusOf(code: HostErrorCode): FailedStatus {
  switch (code) {
    case 'approval_denied':
    case 'approval_expired':
    case 'pin_required':
    case 'denied':
    case 'guardrail':
    case 'rate_limited':
    case 'spend_limit':
    case 'killed':
    case 'disabled':
    case 'needs_review':
    case 'network_denied':
      return 'denied';
    case 'timeout':
      return 'timeout';
    case 'auth_required':
      return 'external_auth_required';
    default:
      return 'error';
  }
}

/** Anything thrown, as the part of an answer that says so. */
export function failure(
  error: unknown,
  tool: string,
): Pick<Answer & { status: FailedStatus }, 'tool' | 'status' | 'error'> {
  const { code, message, hint } = asHostError(error);
  return { tool, status: statusOf(code), error: { code, message, ...(hint === undefined ? {} : { hint }) } };
}

/** What an agent may know of a held call. */
export function confirmationOf(request: ApprovalRequest): Confirmation {
  return {
    token: request.id,
    kind: request.kind as Confirmation['kind'],
    reasons: request.reasons,
    tool: request.tool,
    arguments: request.arguments,
    evidence: request.evidence,
    expiresAt: new Date(request.expiresAt).toISOString(),
  };
}
