import type { CancelSignal } from '../../model/cancel-signal.js';
import { HostError } from '../../model/host-error.js';
import { isObject, type JsonObject } from '../../model/json.js';
import type { AuditLog } from '../../store/audit-log.js';
import type { Answer, MessagePoint, MessageVerdict } from './call-request.js';
import { type HookHandler, handlersFor, runAfterHooks, runBeforeHooks } from './hooks.js';

/** What hooks get to know about a call, and what runs them. */
export interface CallHookContext {
  /** `package/tool`. */
  readonly tool: string;
  readonly callId: string;
  readonly principal: string;
  readonly session: string;
  readonly signal: CancelSignal;
  readonly handlers: readonly HookHandler[];
  readonly audit: AuditLog;
}

/** Event fields that an extension may not change: they identify the call and its caller. */
const protectedFields = ['tool', 'call_id', 'agent_id', 'session_id'];

/** Returns the arguments as the extensions left them; throws `denied` if one aborts the call. */
export async function runBeforeCallHooks(call: CallHookContext, input: JsonObject): Promise<JsonObject> {
  const handlers = handlersFor(call.handlers, 'before_tool_call');
  if (handlers.length === 0) return input;
  const { audit, principal, signal, callId } = call;
  const event = { ...callFields(call), arguments: input };
  const verdict = await runBeforeHooks(event, {
    handlers,
    audit,
    principal,
    signal,
    callId,
    protectedFields,
  });
  if (verdict.kind === 'abort')
    throw new HostError(
      'denied',
      `the extension ${verdict.by} stopped the call of ${call.tool}: ${verdict.reason}`,
    );
  const args = verdict.event.arguments;
  if (!isObject(args))
    throw new HostError(
      'denied',
      `${verdict.changedBy.join(', ')} replaced the arguments of ${call.tool} with something that is not an object`,
    );
  return args;
}

/** Reports a finished call to the extensions. Their answers change nothing. */
export async function runAfterCallHooks(
  call: CallHookContext,
  input: JsonObject,
  answer: Answer,
): Promise<void> {
  const handlers = handlersFor(call.handlers, 'after_tool_call');
  if (handlers.length === 0) return;
  const { audit, principal, signal, callId } = call;
  const event = {
    ...callFields(call),
    arguments: input,
    status: answer.status,
    duration_ms: answer.durationMs,
    ...(answer.status === 'ok' ? { result: answer.result } : {}),
    ...('error' in answer && answer.error !== undefined ? { error: answer.error.message } : {}),
  };
  await runAfterHooks(event, { handlers, audit, principal, signal, callId, protectedFields });
}

function callFields({ tool, callId, principal, session }: CallHookContext): JsonObject {
  return { tool, call_id: callId, agent_id: principal, session_id: session };
}

/** Runs the hooks for a message, before the agent gets it or after the agent answered. */
export async function runMessageHooks(
  point: MessagePoint,
  message: JsonObject,
  { handlers, ...context }: Omit<CallHookContext, 'tool' | 'callId'>,
): Promise<MessageVerdict> {
  const services = {
    ...context,
    handlers: handlersFor(handlers, point),
    protectedFields: ['agent_id', 'session_id'],
  };
  const event = { ...message, agent_id: context.principal, session_id: context.session };
  if (point === 'after_message') {
    await runAfterHooks(event, services);
    return { kind: 'go', message, changedBy: [] };
  }
  const verdict = await runBeforeHooks(event, services);
  if (verdict.kind === 'abort') return verdict;
  const { agent_id: _agent, session_id: _session, ...changed } = verdict.event;
  return { kind: 'go', message: changed, changedBy: verdict.changedBy };
}
