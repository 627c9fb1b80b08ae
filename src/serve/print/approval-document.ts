import type { ApprovalRequest } from '../../model/approval.js';

/** Held calls as scripts read them: `toolport/approvals@1`. */
export function approvalsDocument(requests: readonly ApprovalRequest[]) {
  return { schema: 'toolport/approvals@1', requests: requests.map(toEntry) };
}

function toEntry(request: ApprovalRequest) {
  const { id, tool, arguments: given, kind, reasons, principal, state } = request;
  return {
    id,
    tool,
    arguments: given,
    kind,
    reasons,
    evidence: [],
    principal,
    createdAt: new Date(request.createdAt).toISOString(),
    expiresAt: new Date(request.expiresAt).toISOString(),
    state,
  };
}
