import { canonicalJson, isObject, type Json, type JsonObject } from '../../../model/json.js';
import { sessionNameKey } from '../../../model/reserved-meta.js';
import { argumentsDigest } from '../approval-question.js';
import { invalidParams, RpcError } from '../json-rpc.js';
import type { McpServerOptions } from '../server-options.js';
import type { OpenedState, RequestState } from '../state-signer.js';
import { readCallParams } from '../tool-call.js';

/** Binds a state to this caller and to exactly this call. */
export function stateBinding(
  options: McpServerOptions,
  method: string,
  params: JsonObject,
): Pick<RequestState, 'holder' | 'principal' | 'tool' | 'arguments'> {
  const { name, arguments: args } = subjectOf(method, params);
  const { principal } = options;
  return { holder: holderOf(options, params), principal, tool: name, arguments: argumentsDigest(args) };
}

/** The caller and its session: what was asked in one session is not answered to another one. */
function holderOf({ holder }: McpServerOptions, { _meta: meta }: JsonObject): string {
  const name = isObject(meta) ? meta[sessionNameKey] : undefined;
  return name === undefined ? holder : `${holder} ${canonicalJson(name)}`;
}

/**
 * The state of a repeated request. Undefined if the request has none. The state must be signed by us, for this caller and
 * exactly this call, not expired and unused. The error does not say which check failed. A request with an invalid state
 * is never treated as a new call, because the call may already have run.
 */
export function readRequestState(
  options: McpServerOptions,
  method: string,
  params: JsonObject,
): OpenedState | undefined {
  const { requestState } = params;
  if (requestState === undefined) return undefined;
  const { name, arguments: args } = subjectOf(method, params);
  const holder = holderOf(options, params);
  const matches = (state: RequestState) =>
    state.holder === holder &&
    state.principal === options.principal &&
    state.tool === name &&
    state.arguments === digestOf(args);
  const found =
    typeof requestState === 'string' ? options.stateSigner.open(requestState, matches) : undefined;
  if (found === undefined) throw invalidRequestState();
  return found;
}

export function invalidRequestState(): RpcError {
  return new RpcError(
    invalidParams,
    'the requestState is invalid or has expired; make the call again without it',
    {
      reason: 'invalid_request_state',
    },
  );
}

/** Undefined if the arguments are nested too deeply. No waiting call has such arguments. */
function digestOf(args: Json): string | undefined {
  try {
    return argumentsDigest(args);
  } catch {
    return undefined;
  }
}

/** What a request is about. Names of tools have no spaces, so a prompt or resource is never taken for one. */
function subjectOf(method: string, params: JsonObject): { readonly name: string; readonly arguments: Json } {
  if (method === 'tools/call') return readCallParams(params);
  const { name, uri, arguments: args = {} } = params;
  return { name: `${method} ${String(name ?? uri)}`, arguments: args };
}
