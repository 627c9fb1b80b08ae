import { isObject, type Json, type JsonObject } from '../../model/json.js';

export type RequestId = string | number;

export interface Request {
  readonly id: RequestId;
  readonly method: string;
  readonly params: JsonObject;
}

export interface Notification {
  readonly method: string;
  readonly params: JsonObject;
}

export type Message =
  | ({ readonly kind: 'request' } & Request)
  | ({ readonly kind: 'notification' } & Notification)
  | { readonly kind: 'response' };

export type Parsed = { readonly message: Message } | { readonly error: JsonObject };

const maxBatch = 64;

/** One message, or where the revision has them a batch; what is none is the error to send back. */
export function parseMessages(
  text: string,
  batches: boolean,
): { batch: boolean; messages: readonly Parsed[] } {
  let value: Json;
  try {
    value = JSON.parse(text);
  } catch {
    return { batch: false, messages: [{ error: failure(null, -32700, 'this is not JSON') }] };
  }
  if (!Array.isArray(value)) return { batch: false, messages: [parseMessage(value)] };
  if (batches && value.length > 0 && value.length <= maxBatch) {
    return { batch: true, messages: value.map(parseMessage) };
  }
  const why = batches ? `a batch has 1 to ${maxBatch} messages` : 'batches are not part of this protocol';
  return { batch: false, messages: [{ error: failure(null, -32600, why) }] };
}

function parseMessage(value: Json): Parsed {
  if (!isObject(value) || value.jsonrpc !== '2.0') {
    return { error: failure(null, -32600, 'this is not a JSON-RPC 2.0 message') };
  }
  const { id, method } = value;
  const params = isObject(value.params) ? value.params : {};
  if (typeof method !== 'string') {
    return 'result' in value || 'error' in value
      ? { message: { kind: 'response' } }
      : { error: failure(idOf(id), -32600, 'the message has no method') };
  }
  if (id === undefined) return { message: { kind: 'notification', method, params } };
  const known = idOf(id);
  if (known === null)
    return { error: failure(null, -32600, 'the id of a request is text or a whole number') };
  return { message: { kind: 'request', id: known, method, params } };
}

function idOf(id: Json | undefined): RequestId | null {
  return typeof id === 'string' || (typeof id === 'number' && Number.isInteger(id)) ? id : null;
}

export function success(id: RequestId, result: JsonObject): JsonObject {
  return { jsonrpc: '2.0', id, result };
}

export function failure(id: RequestId | null, code: number, message: string, data?: Json): JsonObject {
  return { jsonrpc: '2.0', id, error: { code, message, ...(data === undefined ? {} : { data }) } };
}
