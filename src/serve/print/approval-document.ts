import { approvalStates, evidence } from '../../host/operations/operator-shapes.js';
import {
  anyText,
  arrayOf,
  boolean,
  isoTime,
  json,
  object,
  oneOf,
  optional,
  text,
} from '../../host/operations/shape.js';
import type { ApprovalRequest } from '../../model/approval.js';
import { revealJson, revealLine } from './reveal.js';

/** One held call in the document. */
export const approvalEntry = object({
  id: text(),
  tool: text('PACKAGE/TOOL'),
  arguments: json('The arguments of the caller.'),
  replacement: optional(json('The arguments that run instead, as the person who approved it wrote them.')),
  display: anyText('The arguments for people, with hidden characters made visible.'),
  kind: text('Why it is held.'),
  reasons: arrayOf(anyText()),
  evidence: arrayOf(evidence),
  principal: text('Who called.'),
  definition: text('Digest of the package.'),
  createdAt: isoTime(),
  expiresAt: isoTime(),
  state: oneOf(approvalStates),
  decision: optional(
    object({ by: anyText(), channel: text(), verified: boolean('The PIN was given.'), at: isoTime() }),
  ),
  voidReason: optional(anyText()),
});

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
    ...(request.replacement === null ? {} : { replacement: request.replacement }),
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
