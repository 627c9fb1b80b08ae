import type { ApprovalRequest } from '../../model/approval.js';
import { asHostError, type HostErrorCode } from '../../model/host-error.js';
import type { Answer, Confirmation } from '../host.js';

type FailedStatus = 'error' | 'denied' | 'timeout' | 'external_auth_required';

/** What a rule or a person stopped is `denied`; what failed is `error`. */
export function answerStatusOf(code: HostErrorCode): FailedStatus {
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

/** Turns anything that was thrown into the failure part of an answer. */
export function failedAnswer(
  error: unknown,
  tool: string,
): Pick<Answer & { status: FailedStatus }, 'tool' | 'status' | 'error'> {
  const { code, message, hint, toolError, toolResult } = asHostError(error);
  return {
    tool,
    status: answerStatusOf(code),
    error: {
      code,
      message,
      ...(hint === undefined ? {} : { hint }),
      ...(toolError === undefined ? {} : { toolError }),
      ...(toolResult === undefined ? {} : { toolResult }),
    },
  };
}

/** The part of a held call that the agent may see. `url`: the page where a person can decide. */
export function confirmationOf(request: ApprovalRequest, url: string | null): Confirmation {
  return {
    token: request.id,
    kind: request.kind as Confirmation['kind'],
    reasons: request.reasons,
    tool: request.tool,
    arguments: request.arguments,
    // What the session was shown is quoted for the person only.
    evidence: request.evidence.filter((it) => it.kind !== 'taint'),
    expiresAt: new Date(request.expiresAt).toISOString(),
    ...(url === null ? {} : { url }),
  };
}
