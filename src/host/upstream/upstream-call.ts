import type { RunRequest } from '../../run/run.js';
import type { ComparedCall } from './compared-upstream.js';

/** The request of a tool as its program gets it. Member by member: spreading so many costs more than sending them. */
export function upstreamCall(
  request: RunRequest,
  own: Pick<ComparedCall, 'name' | 'tool' | 'clientRequests' | 'assertCurrent'>,
): ComparedCall {
  return {
    name: own.name,
    tool: own.tool,
    clientRequests: own.clientRequests,
    assertCurrent: own.assertCurrent,
    input: request.input,
    callId: request.callId,
    idempotencyKey: request.idempotencyKey,
    timeoutMs: request.timeoutMs,
    signal: request.signal,
    outputBytes: request.outputBytes,
    caller: request.caller,
    onNetworkDenied: request.onNetworkDenied,
    onNetworkUsed: request.onNetworkUsed,
    onProgress: request.onProgress,
    meta: request.meta,
    logging: request.logging,
    apps: request.apps,
    onAsk: request.onAsk,
    onTask: request.onTask,
  };
}
