import { isObject, type Json, type JsonObject } from '../../model/json.js';
import {
  excessText,
  type JsonExcess,
  JsonExcessError,
  parseBounded,
  requestLimits,
} from '../../model/json-bounds.js';
import { type InexactNumber, inexactHint, inexactNumber, inexactText } from '../../model/json-number.js';

export type RequestId = string | number;

export interface RpcRequest {
  readonly id: RequestId;
  readonly method: string;
  readonly params: JsonObject;
}

export interface RpcNotification {
  readonly method: string;
  readonly params: JsonObject;
}

/** The client's response to a request of ours. `result` undefined: it was an error. */
export interface RpcResponse {
  readonly id: RequestId | null;
  readonly result: Json | undefined;
}

export type RpcMessage =
  | ({ readonly kind: 'request' } & RpcRequest)
  | ({ readonly kind: 'notification' } & RpcNotification)
  | ({ readonly kind: 'response' } & RpcResponse);

export type ParsedMessage = { readonly message: RpcMessage } | { readonly error: RpcReply };

/** A JSON-RPC response as text, ready to send. */
export interface RpcReply {
  readonly text: string;
  /** The error code; undefined for a result. */
  readonly code: number | undefined;
}

/** A protocol error, sent as a JSON-RPC error. A failed tool call is a result, not an error. */
export class RpcError extends Error {
  readonly code: number;
  readonly data: Json | undefined;

  constructor(code: number, message: string, data?: Json) {
    super(message);
    this.name = 'RpcError';
    this.code = code;
    this.data = data;
  }
}

export const invalidParams = -32602;

const maxBatch = 64;

/** Parses one message, or a batch if the revision has batches. An invalid message becomes the error reply to send. */
export function parseMessages(
  text: string,
  batches: boolean,
): { batch: boolean; messages: readonly ParsedMessage[] } {
  let value: Json;
  try {
    value = parseBounded(text, requestLimits);
  } catch (problem) {
    const error =
      problem instanceof JsonExcessError
        ? excessReply(problem.excess, text)
        : rpcErrorReply(null, -32700, 'the message is not valid JSON');
    return { batch: false, messages: [{ error }] };
  }
  const inexact = inexactNumber(text);
  const parsed = (it: Json) => exactMessage(parseMessage(it), inexact);
  if (!Array.isArray(value)) return { batch: false, messages: [parsed(value)] };
  if (batches && value.length > 0 && value.length <= maxBatch) {
    return { batch: true, messages: value.map(parsed) };
  }
  const reason = batches
    ? `a batch must have 1 to ${maxBatch} messages`
    : 'this protocol revision has no batches';
  return { batch: false, messages: [{ error: rpcErrorReply(null, -32600, reason) }] };
}

/** Rejects a request with a number that parsing changed, so that no tool gets another number than was sent. */
function exactMessage(parsed: ParsedMessage, inexact: InexactNumber | undefined): ParsedMessage {
  if (inexact === undefined || !('message' in parsed) || parsed.message?.kind !== 'request') return parsed;
  const reason = `the message ${inexactText(inexact)}; ${inexactHint}`;
  return { error: rpcErrorReply(parsed.message.id, invalidParams, reason) };
}

/** The reply to a message that is not parsed. `head`: its beginning, which may contain the id. */
export function excessReply(excess: JsonExcess, head: string): RpcReply {
  return rpcErrorReply(requestIdIn(head), -32600, `the message ${excessText(excess)}`);
}

/** The id of a request, if it is near the beginning of the message. */
export function requestIdIn(head: string): RequestId | null {
  const id =
    /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(?:(\d{1,15})|"([\w.:-]{1,100})")\s*,/.exec(head);
  return id === null ? null : id[1] === undefined ? (id[2] as string) : Number(id[1]);
}

function parseMessage(value: Json): ParsedMessage {
  if (!isObject(value) || value.jsonrpc !== '2.0') {
    return { error: rpcErrorReply(null, -32600, 'the message is not JSON-RPC 2.0') };
  }
  const { id, method } = value;
  if (typeof method !== 'string') {
    return Object.hasOwn(value, 'result') || Object.hasOwn(value, 'error')
      ? { message: { kind: 'response', id: idOf(id), result: ownResult(value) } }
      : { error: rpcErrorReply(idOf(id), -32600, 'the message has no method') };
  }
  const params = isObject(value.params) ? value.params : {};
  if (id === undefined) return { message: { kind: 'notification', method, params } };
  const requestId = idOf(id);
  if (requestId === null)
    return { error: rpcErrorReply(null, -32600, 'the id of a request must be a string or an integer') };
  if (value.params !== undefined && !isObject(value.params))
    return { error: rpcErrorReply(requestId, invalidParams, 'the params of a request must be an object') };
  return { message: { kind: 'request', id: requestId, method, params } };
}

function ownResult(value: JsonObject): Json | undefined {
  return Object.hasOwn(value, 'error') ? undefined : value.result;
}

function idOf(id: Json | undefined): RequestId | null {
  return typeof id === 'string' || (typeof id === 'number' && Number.isInteger(id)) ? id : null;
}

/** A reply from a result that is already JSON text: lists are serialized once and sent many times. */
export function resultTextReply(id: RequestId, result: string): RpcReply {
  return { text: `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`, code: undefined };
}

export function resultReply(id: RequestId, result: JsonObject): RpcReply {
  return resultTextReply(id, JSON.stringify(result));
}

export function rpcErrorReply(id: RequestId | null, code: number, message: string, data?: Json): RpcReply {
  const error = { code, message, ...(data === undefined ? {} : { data }) };
  return { text: JSON.stringify({ jsonrpc: '2.0', id, error }), code };
}

export function notification(method: string, params?: JsonObject): JsonObject {
  return { jsonrpc: '2.0', method, ...(params === undefined ? {} : { params }) };
}
