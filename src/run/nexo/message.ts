// JSON-RPC 2.0 as extensions speak it: one object a message, ids that are whole numbers.
import { isObject, type Json, type JsonObject } from '../../model/json.js';

/** The method is not there. */
export const unknownMethod = -32601;

/** The extension's own "no", in its own words. */
export class RpcFailure extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

export type Message =
  | { readonly kind: 'result'; readonly id: number; readonly value: Json }
  | { readonly kind: 'failure'; readonly id: number; readonly failure: RpcFailure }
  /** Carries an id that may be ours, and nothing that could be read as an answer. */
  | { readonly kind: 'hollow'; readonly id: number }
  | { readonly kind: 'request'; readonly id: Json; readonly method: string }
  | { readonly kind: 'notice'; readonly method: string }
  | { readonly kind: 'garbage' };

const maxWords = 4000;
const garbage: Message = { kind: 'garbage' };

export function requestText(id: number, method: string, params: JsonObject): string {
  return JSON.stringify({ jsonrpc: '2.0', id, method, params });
}

/** The answer to a request of the other side: this host serves nothing on that channel. */
export function refusalText(id: Json, method: string): string {
  const message = `the host does not answer ${method.slice(0, 100)}`;
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code: unknownMethod, message } });
}

export function readMessage(text: string): Message {
  let message = parse(text);
  // Some bridges send a message as a JSON text within JSON.
  if (typeof message === 'string') message = parse(message);
  if (!isObject(message)) return garbage;
  const { id, method } = message;
  if (typeof method === 'string')
    return id === undefined ? { kind: 'notice', method } : { kind: 'request', id, method };
  if (typeof id !== 'number') return garbage;
  if (isObject(message.error)) return { kind: 'failure', id, failure: failureOf(message.error) };
  return Object.hasOwn(message, 'result')
    ? { kind: 'result', id, value: message.result ?? null }
    : { kind: 'hollow', id };
}

function failureOf({ code, message }: JsonObject): RpcFailure {
  const words = typeof message === 'string' ? message.trim().slice(0, maxWords) : '';
  const number = typeof code === 'number' ? code : 0;
  return new RpcFailure(number, words === '' ? `error ${number}, without a word` : words);
}

/** Only what begins like an object, or like a text that holds one, is looked at: an exception for each other line is dear. */
function parse(text: string): Json | undefined {
  if (!/^\s*[{"]/.test(text)) return undefined;
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
