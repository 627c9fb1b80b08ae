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

/** What the other side answered to a request of ours; result undefined is an error. */
export interface Response {
  readonly id: RequestId | null;
  readonly result: Json | undefined;
}

export type Message =
  | ({ readonly kind: 'request' } & Request)
  | ({ readonly kind: 'notification' } & Notification)
  | ({ readonly kind: 'response' } & Response);

export type Parsed = { readonly message: Message } | { readonly error: Reply };

/** A JSON-RPC response as text, ready to be sent. */
export interface Reply {
  readonly text: string;
  /** Of an error; undefined for a result. */
  readonly code: number | undefined;
}

/** A fault of the protocol: it becomes a JSON-RPC error. Everything else that goes wrong is a result. */
export class Fault extends Error {
  readonly code: number;
  readonly data: Json | undefined;

  constructor(code: number, message: string, data?: Json) {
    super(message);
    this.name = 'Fault';
    this.code = code;
    this.data = data;
  }
}

export const badParams = -32602;
export const unknownMethod = -32601;

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
  if (typeof method !== 'string') {
    return Object.hasOwn(value, 'result') || Object.hasOwn(value, 'error')
      ? { message: { kind: 'response', id: idOf(id), result: ownResult(value) } }
      : { error: failure(idOf(id), -32600, 'the message has no method') };
  }
  const params = isObject(value.params) ? value.params : {};
  if (id === undefined) return { message: { kind: 'notification', method, params } };
  const known = idOf(id);
  if (known === null)
    return { error: failure(null, -32600, 'the id of a request is text or a whole number') };
  if (value.params !== undefined && !isObject(value.params))
    return { error: failure(known, badParams, 'the params of a request are an object') };
  return { message: { kind: 'request', id: known, method, params } };
}

function ownResult(value: JsonObject): Json | undefined {
  return Object.hasOwn(value, 'error') ? undefined : value.result;
}

function idOf(id: Json | undefined): RequestId | null {
  return typeof id === 'string' || (typeof id === 'number' && Number.isInteger(id)) ? id : null;
}

/** The result is JSON already: lists are serialized once and sent many times. */
export function successText(id: RequestId, result: string): Reply {
  return { text: `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`, code: undefined };
}

export function success(id: RequestId, result: JsonObject): Reply {
  return successText(id, JSON.stringify(result));
}

export function failure(id: RequestId | null, code: number, message: string, data?: Json): Reply {
  const error = { code, message, ...(data === undefined ? {} : { data }) };
  return { text: JSON.stringify({ jsonrpc: '2.0', id, error }), code };
}

export function notification(method: string, params?: JsonObject): JsonObject {
  return { jsonrpc: '2.0', method, ...(params === undefined ? {} : { params }) };
}
