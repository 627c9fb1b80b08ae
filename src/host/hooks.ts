// Extensions that are asked before and after things happen. What they answer comes from a stranger: it can stop a call
// or put other words into it, and those words are judged like any others.

import { asHostError, HostError } from '../model/host-error.js';
import { canonicalJson, isObject, type Json, type JsonObject } from '../model/json.js';
import type { HookPoint } from '../model/package.js';
import type { Signal } from '../model/signal.js';
import type { Deadline } from '../run/upstream/upstream.js';
import type { AuditLog } from '../store/audit.js';

/** One program that wants to be asked at a point. */
export interface HookHandler {
  readonly package: string;
  readonly point: HookPoint;
  /** Lower is asked first; of equals, the one that was listed first. */
  readonly priority: number;
  ask(event: JsonObject, patience: Deadline): Promise<Json>;
}

/** `event`: as the last handler left it. `by`: packages that changed it. */
export type HookVerdict =
  | { readonly kind: 'go'; readonly event: JsonObject; readonly by: readonly string[] }
  | { readonly kind: 'abort'; readonly reason: string; readonly by: string };

export interface HookServices {
  readonly handlers: readonly HookHandler[];
  readonly audit: AuditLog;
  readonly principal: string;
  readonly signal: Signal;
  /** The call that it is about; messages have none. */
  readonly callId?: string;
  /** Members of the event that a handler may not put others in place of. */
  readonly fixed: readonly string[];
}

/** For one handler, and for all of them together. */
const handlerMs = 5000;
const chainMs = 15_000;
const maxHandlers = 32;
const maxReason = 500;
const maxOverride = 1024 * 1024;

/** Handlers of a point in the order in which they are asked. */
export function inOrder(handlers: readonly HookHandler[], point: HookPoint): readonly HookHandler[] {
  const mine = handlers.filter((it) => it.point === point);
  return [...mine].sort((a, b) => a.priority - b.priority).slice(0, maxHandlers);
}

/** Asks one after the other; the first that says no ends it. One that fails or is late is passed over, on record. */
export async function askBefore(event: JsonObject, road: HookServices): Promise<HookVerdict> {
  const deadline = performance.now() + chainMs;
  let current = event;
  const by: string[] = [];
  for (const handler of road.handlers) {
    const left = deadline - performance.now();
    const answer = left <= 0 ? late() : await asked(handler, current, Math.min(left, handlerMs), road.signal);
    if (road.signal.aborted) throw new HostError('canceled', 'the call was canceled');
    const verdict = answer.ok ? read(answer.value, road.fixed) : answer;
    if (!verdict.ok) {
      await note(handler, road, { passedOver: verdict.why });
    } else if (verdict.abort !== undefined) {
      // Its reason may repeat what was said; the record keeps no words of others.
      await note(handler, road, { aborted: true });
      return { kind: 'abort', reason: verdict.abort, by: handler.package };
    } else if (verdict.override !== undefined) {
      const next = { ...current, ...verdict.override };
      if (canonicalJson(next) === canonicalJson(current)) continue;
      await note(handler, road, { changed: Object.keys(verdict.override).sort() });
      current = next;
      by.push(handler.package);
    }
  }
  return { kind: 'go', event: current, by };
}

/** Tells all of them; whatever they answer changes nothing. */
export async function tellAfter(event: JsonObject, road: HookServices): Promise<void> {
  await Promise.all(
    road.handlers.map(async (handler) => {
      const answer = await asked(handler, event, handlerMs, road.signal);
      if (!answer.ok) await note(handler, road, { passedOver: answer.why });
    }),
  );
}

type Asked = { readonly ok: true; readonly value: Json } | { readonly ok: false; readonly why: string };

function late(): Asked {
  return { ok: false, why: 'the handlers before it took all the time' };
}

async function asked(
  { ask }: HookHandler,
  event: JsonObject,
  timeoutMs: number,
  signal: Signal,
): Promise<Asked> {
  try {
    return { ok: true, value: await ask(event, { timeoutMs, signal }) };
  } catch (error) {
    return { ok: false, why: asHostError(error).code };
  }
}

type Verdict =
  | { readonly ok: true; readonly abort?: string; readonly override?: JsonObject }
  | { readonly ok: false; readonly why: string };

/** Nothing is no objection; what cannot be understood is a failure. */
function read(value: Json, fixed: readonly string[]): Verdict {
  if (value === null || value === undefined) return { ok: true };
  if (!isObject(value)) return { ok: false, why: 'its answer is no object' };
  const { abort, reason, override } = value;
  if (abort !== undefined && typeof abort !== 'boolean')
    return { ok: false, why: '"abort" in its answer is not true or false' };
  if (abort === true)
    return { ok: true, abort: typeof reason === 'string' ? reason.slice(0, maxReason) : 'it gave no reason' };
  if (override === undefined || override === null) return { ok: true };
  if (!isObject(override)) return { ok: false, why: '"override" in its answer is no object' };
  if (canonicalJson(override).length > maxOverride)
    return { ok: false, why: '"override" in its answer is larger than 1 MiB' };
  const forbidden = Object.keys(override).find((it) => fixed.includes(it));
  if (forbidden !== undefined) return { ok: false, why: `it may not change "${forbidden}"` };
  return { ok: true, override };
}

async function note(
  { package: by, point }: HookHandler,
  { audit, principal, callId }: HookServices,
  what: JsonObject,
): Promise<void> {
  await audit.append({
    kind: 'hook',
    body: { ...(callId === undefined ? {} : { callId }), package: by, point, principal, ...what },
  });
}
