import type { ApprovalRequest, ApprovalState, Channel } from '../model/approval.js';
import type { ApprovalTable } from './approval-tables.js';

/** A held call, from its row. */
export function requestFromRow(row: ApprovalTable): ApprovalRequest {
  return {
    id: row.id,
    principal: row.principal,
    client: row.client,
    session: row.session,
    tool: row.tool,
    definition: row.definition,
    arguments: JSON.parse(row.arguments),
    replacement: row.replacement === null ? null : JSON.parse(row.replacement),
    argumentsDigest: row.arguments_digest,
    policy: row.policy,
    credentials: row.credentials,
    kind: row.kind,
    reasons: JSON.parse(row.reasons),
    evidence: JSON.parse(row.evidence),
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    state: row.state as ApprovalState,
    decision:
      row.decided_by === null
        ? null
        : {
            by: row.decided_by,
            channel: (row.channel ?? 'library') as Channel,
            verified: row.verified === 1,
            at: row.decided_at ?? 0,
          },
    voidReason: row.void_reason,
    answer: row.answer === null ? null : JSON.parse(row.answer),
  };
}
