import { HostError } from '../model/host-error.js';
import { isObject, type JsonObject } from '../model/json.js';
import type { Signal } from '../model/signal.js';
import type { AuditLog } from '../store/audit.js';
import { askBefore, type HookHandler, inOrder, tellAfter } from './hooks.js';
import type { Answer } from './host.js';
import type { MessagePoint, MessageVerdict } from './message.js';

/** A call as extensions are told of it. */
export interface HookedCall {
  /** `package/tool`. */
  readonly tool: string;
  readonly callId: string;
  readonly principal: string;
  readonly session: string;
  readonly signal: Signal;
  readonly handlers: readonly HookHandler[];
  readonly audit: AuditLog;
}

/** Who is asked, and about what, is not theirs to change. */
const fixed = ['tool', 'call_id', 'agent_id', 'session_id'];

/** The arguments as extensions leave them; refused when one says no. */
export async function beforeCall(call: HookedCall, input: JsonObject): Promise<JsonObject> {
  const handlers = inOrder(call.handlers, 'before_tool_call');
  if (handlers.length === 0) return input;
  const { audit, principal, signal, callId } = call;
  const event = { ...about(call), arguments: input };
  const verdict = await askBefore(event, { handlers, audit, principal, signal, callId, fixed });
  if (verdict.kind === 'abort')
    throw new HostError('denied', `${verdict.by} stopped the call of ${call.tool}: ${verdict.reason}`);
  const given = verdict.event.arguments;
  if (!isObject(given))
    throw new HostError('denied', `${verdict.by.join(', ')} left the call of ${call.tool} without arguments`);
  return given;
}

/** What extensions are told when a call is over. Nobody waits for them. */
export async function afterCall(call: HookedCall, input: JsonObject, answer: Answer): Promise<void> {
  const handlers = inOrder(call.handlers, 'after_tool_call');
  if (handlers.length === 0) return;
  const { audit, principal, signal, callId } = call;
  const event = {
    ...about(call),
    arguments: input,
    status: answer.status,
    duration_ms: answer.durationMs,
    ...(answer.status === 'ok' ? { result: answer.result } : {}),
    ...('error' in answer && answer.error !== undefined ? { error: answer.error.message } : {}),
  };
  await tellAfter(event, { handlers, audit, principal, signal, callId, fixed });
}

function about({ tool, callId, principal, session }: HookedCall): JsonObject {
  return { tool, call_id: callId, agent_id: principal, session_id: session };
}

/** Lets extensions look at a message before the agent gets it, or after it answered. */
export async function throughMessageHooks(
  point: MessagePoint,
  message: JsonObject,
  { handlers, ...road }: Omit<HookedCall, 'tool' | 'callId'>,
): Promise<MessageVerdict> {
  const asked = { ...road, handlers: inOrder(handlers, point), fixed: ['agent_id', 'session_id'] };
  const event = { ...message, agent_id: road.principal, session_id: road.session };
  if (point === 'after_message') {
    await tellAfter(event, asked);
    return { kind: 'go', message, changedBy: [] };
  }
  const verdict = await askBefore(event, asked);
  if (verdict.kind === 'abort') return verdict;
  const { agent_id: _agent, session_id: _session, ...left } = verdict.event;
  return { kind: 'go', message: left, changedBy: verdict.by };
}
