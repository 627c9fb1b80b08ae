import { refusalStatus, shownStatus } from '../../model/call-status.js';
import { isObject, type Json, type JsonObject } from '../../model/json.js';

/** One line of `audit log`: a call with its end, or something that a person or the host did. */
export interface AuditLine {
  readonly seq: number;
  /** ISO 8601, UTC. */
  readonly at: string;
  /** How a call ended, or the kind of the entry. `running`: it has no end yet. `unknown`: the host stopped meanwhile. */
  readonly status: string;
  /** Empty if nobody in particular did it. */
  readonly principal: string;
  /** `package/tool`, or the operation of an operator. */
  readonly subject: string;
  /** The shape of the arguments, and why a call did not run. Empty: nothing to say. */
  readonly detail: string;
  readonly durationMs?: number;
  readonly callId?: string;
}

/** An entry with its parsed body. */
export interface ReadAuditEntry {
  readonly seq: number;
  readonly at: string;
  readonly kind: string;
  readonly body: JsonObject;
}

/** `end`: the outcome or recovery of an intent; undefined if there is none yet. */
export function auditLine({ seq, at, kind, body }: ReadAuditEntry, end: JsonObject | undefined): AuditLine {
  const line = {
    ...{ seq, at },
    principal: text(body.principal) || text(body.by),
    subject: text(body.tool) || text(body.operation) || text(body.package),
    ...(typeof body.callId === 'string' ? { callId: body.callId } : {}),
  };
  switch (kind) {
    case 'intent': {
      const { status, durationMs, code } = end ?? {};
      return {
        ...line,
        status: end === undefined ? 'running' : shownStatus(text(status)),
        detail: joined(shapeText(body.shape), text(code)),
        ...(typeof durationMs === 'number' ? { durationMs } : {}),
      };
    }
    case 'refusal':
      return {
        ...line,
        status: refusalStatus(text(body.code)),
        detail: text(body.code),
      };
    case 'hold':
      return { ...line, status: 'held', detail: joined(text(body.reason), text(body.approval)) };
    case 'approval':
      return {
        ...line,
        status: text(body.decision) || kind,
        detail: joined(text(body.approval), text(body.reason)),
      };
    default:
      return { ...line, status: kind, detail: otherMembers(body) };
  }
}

function shapeText(shape: Json | undefined): string {
  if (!isObject(shape)) return '';
  return Object.entries(shape)
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : compact(value)}`)
    .join(' ');
}

function compact(value: Json | undefined): string {
  if (!Array.isArray(value)) return isObject(value) ? 'object' : String(value);
  return value.length === 0 ? 'list(0)' : `list(${String(value[1] ?? '').replace(/^× /, '')})`;
}

const shownElsewhere = new Set(['tool', 'operation', 'package', 'principal', 'by', 'callId', 'session']);
const technical = new Set(['channel', 'verified', 'definition', 'arguments', 'digest']);

function otherMembers(body: JsonObject): string {
  return Object.entries(body)
    .filter(([name, value]) => !shownElsewhere.has(name) && !technical.has(name) && typeof value !== 'object')
    .map(([name, value]) => `${name}=${String(value)}`)
    .join(' ');
}

function joined(...parts: readonly string[]): string {
  return parts.filter((it) => it !== '').join('  ');
}

function text(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

/** The program of a principal, as people call it: `claude-code` for `alice/mcp/claude-code`. */
export function clientName(principal: string): string {
  return principal.slice(principal.lastIndexOf('/') + 1);
}
