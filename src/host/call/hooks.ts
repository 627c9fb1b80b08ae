// Runs the hooks of extensions before and after calls and messages. Their answers are untrusted input: they can stop
// a call or change its arguments, and changed arguments are checked like any others.

import type { CancelSignal } from '../../model/cancel-signal.js';
import { asHostError, callCanceled } from '../../model/host-error.js';
import { canonicalJson, isObject, type Json, type JsonObject } from '../../model/json.js';
import type { HookPoint } from '../../model/package.js';
import type { Deadline } from '../../run/upstream/upstream.js';
import type { AuditLog } from '../../store/audit-log.js';

/** One program's handler for one hook point. */
export interface HookHandler {
  readonly package: string;
  readonly point: HookPoint;
  /** Lower runs first; handlers with equal priority run in the order of the list. */
  readonly priority: number;
  handle(event: JsonObject, deadline: Deadline): Promise<Json>;
}

/** `event`: as the last handler left it. `changedBy`: packages that changed it. `by`: the package that aborted. */
export type HookVerdict =
  | { readonly kind: 'go'; readonly event: JsonObject; readonly changedBy: readonly string[] }
  | { readonly kind: 'abort'; readonly reason: string; readonly by: string };

export interface HookServices {
  readonly handlers: readonly HookHandler[];
  readonly audit: AuditLog;
  readonly principal: string;
  readonly signal: CancelSignal;
  /** Absent for messages, which belong to no call. */
  readonly callId?: string;
  /** Fields of the event that a handler may not change. */
  readonly protectedFields: readonly string[];
}

/** Time for one handler, and for all handlers of a point together. */
const handlerTimeoutMs = 5000;
const totalTimeoutMs = 15_000;
const maxHandlers = 32;
/** Characters. */
const maxReasonLength = 500;
const maxOverrideLength = 1024 * 1024;

/** The handlers of a point, in the order in which they run. */
export function handlersFor(handlers: readonly HookHandler[], point: HookPoint): readonly HookHandler[] {
  const mine = handlers.filter((it) => it.point === point);
  return [...mine].sort((a, b) => a.priority - b.priority).slice(0, maxHandlers);
}

/** Runs the handlers in order until one aborts. A handler that fails or is late is skipped, with an audit entry. */
export async function runBeforeHooks(event: JsonObject, services: HookServices): Promise<HookVerdict> {
  const deadline = performance.now() + totalTimeoutMs;
  let current = event;
  const changedBy: string[] = [];
  for (const handler of services.handlers) {
    const leftMs = deadline - performance.now();
    const answer =
      leftMs <= 0
        ? tooLate()
        : await callHandler(handler, current, Math.min(leftMs, handlerTimeoutMs), services.signal);
    if (services.signal.aborted) throw callCanceled();
    const verdict = answer.ok ? parseAnswer(answer.value, services.protectedFields) : answer;
    if (!verdict.ok) {
      await writeAuditEntry(handler, services, { skipped: verdict.why });
    } else if (verdict.abort !== undefined) {
      // The reason may quote arguments or messages, which the audit log must not contain.
      await writeAuditEntry(handler, services, { aborted: true });
      return { kind: 'abort', reason: verdict.abort, by: handler.package };
    } else if (verdict.override !== undefined) {
      const next = { ...current, ...verdict.override };
      if (canonicalJson(next) === canonicalJson(current)) continue;
      await writeAuditEntry(handler, services, { changed: Object.keys(verdict.override).sort() });
      current = next;
      changedBy.push(handler.package);
    }
  }
  return { kind: 'go', event: current, changedBy };
}

/** Runs all handlers at once; their answers change nothing. */
export async function runAfterHooks(event: JsonObject, services: HookServices): Promise<void> {
  await Promise.all(
    services.handlers.map(async (handler) => {
      const answer = await callHandler(handler, event, handlerTimeoutMs, services.signal);
      if (!answer.ok) await writeAuditEntry(handler, services, { skipped: answer.why });
    }),
  );
}

type HandlerAnswer =
  | { readonly ok: true; readonly value: Json }
  | { readonly ok: false; readonly why: string };

function tooLate(): HandlerAnswer {
  return { ok: false, why: 'earlier handlers used up all the time' };
}

async function callHandler(
  { handle }: HookHandler,
  event: JsonObject,
  timeoutMs: number,
  signal: CancelSignal,
): Promise<HandlerAnswer> {
  try {
    return { ok: true, value: await handle(event, { timeoutMs, signal }) };
  } catch (error) {
    return { ok: false, why: asHostError(error).code };
  }
}

type ParsedAnswer =
  | { readonly ok: true; readonly abort?: string; readonly override?: JsonObject }
  | { readonly ok: false; readonly why: string };

/** No answer means no objection. An answer that cannot be parsed counts as a failure. */
function parseAnswer(value: Json, protectedFields: readonly string[]): ParsedAnswer {
  if (value === null || value === undefined) return { ok: true };
  if (!isObject(value)) return { ok: false, why: 'its answer is not an object' };
  const { abort, reason, override } = value;
  if (abort !== undefined && typeof abort !== 'boolean')
    return { ok: false, why: '"abort" in its answer is not true or false' };
  if (abort === true)
    return {
      ok: true,
      abort: typeof reason === 'string' ? reason.slice(0, maxReasonLength) : 'it gave no reason',
    };
  if (override === undefined || override === null) return { ok: true };
  if (!isObject(override)) return { ok: false, why: '"override" in its answer is not an object' };
  if (canonicalJson(override).length > maxOverrideLength)
    return { ok: false, why: '"override" in its answer is larger than 1 MiB' };
  const forbidden = Object.keys(override).find((it) => protectedFields.includes(it));
  if (forbidden !== undefined) return { ok: false, why: `it may not change "${forbidden}"` };
  return { ok: true, override };
}

async function writeAuditEntry(
  { package: by, point }: HookHandler,
  { audit, principal, callId }: HookServices,
  detail: JsonObject,
): Promise<void> {
  await audit.append({
    kind: 'hook',
    body: { ...(callId === undefined ? {} : { callId }), package: by, point, principal, ...detail },
  });
}
