import { neverCanceled } from '../../model/cancel-signal.js';
import type { Deadline } from '../../run/upstream/upstream.js';
import type { Answer, CallRequest } from '../host.js';
import type { CallHookContext } from './call-hooks.js';
import type { CallServices } from './call-services.js';
import type { CallableTool } from './callable-tool.js';
import type { Caller } from './caller.js';
import type { HookHandler } from './hooks.js';

const defaultTimeoutMs = 60_000;
const maxTimeoutMs = 24 * 3_600_000;

export interface Call {
  /** Names of the tools whose calls led to this one, outermost first; empty for a call from outside. */
  readonly chain: readonly string[];
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly started: number;
  readonly caller: Caller;
  readonly request: CallRequest;
  /** How many hosts started it before and crashed. Default: 0. */
  readonly repeats?: number;
  /** Sends a call that this one makes through the whole pipeline. `chain`: the tools that led to it. */
  readonly callInner: (request: CallRequest, chain: readonly string[]) => Promise<Answer>;
}

/** For what happens before the call itself runs. */
export function deadlineOf({ request }: Call): Deadline {
  return { timeoutMs: timeoutOf(request.timeoutMs ?? 0), signal: request.signal ?? neverCanceled };
}

/** Not a number, zero or negative means the default. */
export function timeoutOf(milliseconds: number): number {
  return milliseconds >= 1 ? Math.min(milliseconds, maxTimeoutMs) : defaultTimeoutMs;
}

export function hookContext(
  { audit }: CallServices,
  { id, caller, request }: Call,
  { name }: CallableTool,
  handlers: readonly HookHandler[],
): CallHookContext {
  const signal = request.signal ?? neverCanceled;
  return { tool: name, callId: id, principal: caller.principal, session: caller.id, signal, handlers, audit };
}

/** What each answer says about its call. */
export function answerBase(services: CallServices, call: Call): { callId: string; durationMs: number } {
  return { callId: call.id, durationMs: services.now() - call.started };
}
