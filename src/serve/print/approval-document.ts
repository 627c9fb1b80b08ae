import type { ApprovalRequest } from '../../model/approval.js';
import { revealJson, revealLine } from './reveal.js';

/** Held calls as JSON, schema `toolwharf/approvals@1`. */
export function approvalsDocument(requests: readonly ApprovalRequest[]) {
  return { schema: 'toolwharf/approvals@1', requests: requests.map(toEntry) };
}

function toEntry(request: ApprovalRequest) {
  const {
    id,
    tool,
    arguments: callArguments,
    kind,
    reasons,
    principal,
    state,
    decision,
    voidReason,
  } = request;
  return {
    id,
    tool,
    arguments: callArguments,
    /** For people: the arguments with hidden and look-alike characters made visible. */
    display: revealJson(callArguments),
    kind,
    reasons,
    evidence: request.evidence.map((it) => ({ ...it, text: revealLine(it.text) })),
    principal,
    definition: request.definition,
    createdAt: time(request.createdAt),
    expiresAt: time(request.expiresAt),
    state,
    ...(decision === null ? {} : { decision: { ...decision, at: time(decision.at) } }),
    ...(voidReason === null ? {} : { voidReason }),
  };
}

function time(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
