import { isObject, type Json, type JsonObject } from '../../model/json.js';

/** A JSON-RPC message of a server. Only the envelope is checked. */
export type IncomingMessage =
  | {
      readonly kind: 'request';
      readonly id: string | number;
      readonly method: string;
      readonly params: JsonObject;
    }
  | { readonly kind: 'notification'; readonly method: string; readonly params: JsonObject }
  | { readonly kind: 'result'; readonly id: string | number; readonly result: JsonObject }
  | { readonly kind: 'error'; readonly id: string | number | null; readonly error: ServerRpcError };

/** A JSON-RPC error, with the message of the server. */
export class ServerRpcError extends Error {
  readonly code: number;
  readonly data: Json | undefined;

  constructor(code: number, message: string, data?: Json) {
    super(message);
    this.name = 'ServerRpcError';
    this.code = code;
    this.data = data;
  }
}

export const mcpMethodNotFound = -32601;
export const unsupportedRevision = -32022;

/** Serializing deeper values would overflow the stack. */
const maxDepth = 200;
const maxBatch = 64;

/** Parses one message, or a batch of the older revisions. Undefined if the text is invalid. */
export function readMessages(text: string): readonly IncomingMessage[] | undefined {
  let value: Json;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (text.length > 2 * maxDepth && isTooDeep(value)) return undefined;
  if (!Array.isArray(value)) {
    const message = readMessage(value);
    return message === undefined ? undefined : [message];
  }
  const messages = value.slice(0, maxBatch).map(readMessage);
  return messages.length > 0 && messages.every((it) => it !== undefined) ? messages : undefined;
}

function readMessage(value: Json): IncomingMessage | undefined {
  if (!isObject(value) || value.jsonrpc !== '2.0') return undefined;
  const { method, result, error } = value;
  const id = idOf(value.id);
  if (typeof method === 'string') {
    const params = isObject(value.params) ? value.params : {};
    if (value.id === undefined) return { kind: 'notification', method, params };
    return id === null ? undefined : { kind: 'request', id, method, params };
  }
  if (isObject(error)) {
    const code = typeof error.code === 'number' ? error.code : 0;
    const text = typeof error.message === 'string' ? error.message : 'no reason given';
    return { kind: 'error', id, error: new ServerRpcError(code, text.slice(0, 4000), error.data) };
  }
  return id === null || !isObject(result) ? undefined : { kind: 'result', id, result };
}

function idOf(id: Json | undefined): string | number | null {
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}

/** Whether a value is nested too deeply to be serialized. */
export function isTooDeep(value: Json): boolean {
  let level: Json[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > maxDepth) return true;
    const next: Json[] = [];
    for (const it of level) {
      if (typeof it !== 'object' || it === null) continue;
      for (const member of Object.values(it) as Json[])
        if (typeof member === 'object' && member !== null) next.push(member);
    }
    level = next;
  }
  return false;
}

/** Removes `_meta` keys of the protocol, which are for one hop only, and of the host, which a server must not forge. */
export function withoutReservedMeta(meta: JsonObject): JsonObject {
  const isReserved = (key: string) => /^(?:io\.modelcontextprotocol|toolwharf)\//i.test(key);
  return Object.fromEntries(Object.entries(meta).filter(([key]) => !isReserved(key)));
}
