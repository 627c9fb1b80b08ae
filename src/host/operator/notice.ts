import type { ApprovalRequest } from '../../model/approval.js';
import type { JsonObject } from '../../model/json.js';
import type { RequestedInstallation } from '../../model/requested-installation.js';
import type { Tool } from '../../model/tool.js';
import type { Violation, ViolationAction } from '../../model/violation.js';
import { shapeOf } from '../../policy/input-shape.js';

/** Something that people are told. */
export interface Notice {
  /** Of its audit entries, with what names the subject there. */
  readonly kind: 'hold' | 'violation';
  readonly subject: JsonObject;
  /** For people. The lines are untrusted text. */
  readonly title: string;
  readonly lines: readonly string[];
  /** What shows more, at the terminal. */
  readonly command: string;
  /** For programs. */
  readonly document: JsonObject;
  /** The held call that it is about; its arguments are sent only where the operator wants them. */
  readonly held: ApprovalRequest | null;
}

const maxReasons = 5;

/** Without the values of arguments. */
export function heldCallNotice(request: ApprovalRequest, tool: Tool): Notice {
  const { id, tool: name, kind, principal, reasons } = request;
  const command = `toolwharf approvals show ${id}`;
  const more = reasons.length - maxReasons;
  return {
    kind: 'hold',
    subject: { approval: id },
    title: `Approve ${name}?`,
    lines: [
      ...reasons.slice(0, maxReasons).map((it) => `- ${it}`),
      ...(more > 0 ? [`- and ${more} more reasons`] : []),
      `Asked by ${principal}.`,
    ],
    command,
    document: {
      schema: 'toolwharf/held-call@1',
      ...{ id, tool: name, kind, principal, reasons },
      shape: shapeOf(request.arguments, tool.input),
      ...times(request),
      command,
    },
    held: request,
  };
}

/** About a package that an agent asked for. Its reason is not sent: it is text that nobody checked. */
export function installRequestNotice(request: RequestedInstallation): Notice {
  const { id, source, principal } = request;
  const command = `toolwharf requests show ${id}`;
  const document = { schema: 'toolwharf/install-request@1', ...{ id, source, principal }, ...times(request) };
  return {
    kind: 'hold',
    subject: { request: id },
    title: `Install ${source}?`,
    lines: [`Asked by ${principal}.`],
    command,
    document: { ...document, command },
    held: null,
  };
}

/** What a package did against its grant, and what the host does about it. */
export function violationNotice(
  { package: id, kind, detail }: Violation,
  action: ViolationAction,
  now: number,
): Notice {
  const command = `toolwharf info ${id}`;
  const document = { schema: 'toolwharf/violation@1', package: id, kind, detail, action };
  return {
    kind: 'violation',
    subject: { package: id, violation: kind },
    title: `${id} acted against its grant`,
    lines: [`- ${kind}: ${detail}`, `The host does this: ${action}.`],
    command,
    document: { ...document, at: new Date(now).toISOString(), command },
    held: null,
  };
}

function times({ createdAt, expiresAt }: { readonly createdAt: number; readonly expiresAt: number }) {
  return {
    createdAt: new Date(createdAt).toISOString(),
    expiresAt: new Date(expiresAt).toISOString(),
  };
}
