// JSON-RPC 2.0 as extensions use it: one object per message, integer ids.
import { isObject, type Json, type JsonObject } from '../../model/json.js';

/** JSON-RPC error code "Method not found". */
export const nexoMethodNotFound = -32601;

/** An error response of the extension. */
export class RpcFailure extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

export type NexoMessage =
  | { readonly kind: 'result'; readonly id: number; readonly value: Json }
  | { readonly kind: 'failure'; readonly id: number; readonly failure: RpcFailure }
  /** A response without result and error. */
  | { readonly kind: 'empty'; readonly id: number }
  | { readonly kind: 'request'; readonly id: Json; readonly method: string }
  | { readonly kind: 'notification'; readonly method: string }
  | { readonly kind: 'invalid' };

const maxErrorText = 4000;
const invalid: NexoMessage = { kind: 'invalid' };

export function requestMessage(id: number, method: string, params: JsonObject): string {
  return JSON.stringify({ jsonrpc: '2.0', id, method, params });
}

/** The error response to any request of the extension: the host serves no methods. */
export function methodNotFoundMessage(id: Json, method: string): string {
  const message = `the host does not support the method ${method.slice(0, 100)}`;
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code: nexoMethodNotFound, message } });
}

export function readMessage(text: string): NexoMessage {
  let message = parse(text);
  // Some bridges send a message as a JSON string inside JSON.
  if (typeof message === 'string') message = parse(message);
  if (!isObject(message)) return invalid;
  const { id, method } = message;
  if (typeof method === 'string')
    return id === undefined ? { kind: 'notification', method } : { kind: 'request', id, method };
  if (typeof id !== 'number') return invalid;
  if (isObject(message.error)) return { kind: 'failure', id, failure: failureOf(message.error) };
  return Object.hasOwn(message, 'result')
    ? { kind: 'result', id, value: message.result ?? null }
    : { kind: 'empty', id };
}

function failureOf({ code, message }: JsonObject): RpcFailure {
  const text = typeof message === 'string' ? message.trim().slice(0, maxErrorText) : '';
  const number = typeof code === 'number' ? code : 0;
  return new RpcFailure(number, text === '' ? `error ${number} without a message` : text);
}

/** Parses only text that begins like an object or a string: an exception for every other line would be expensive. */
function parse(text: string): Json | undefined {
  if (!/^\s*[{"]/.test(text)) return undefined;
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
