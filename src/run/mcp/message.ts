import { isObject, type Json, type JsonObject } from '../../model/json.js';

/** What a server sends, read no further than its envelope. */
export type Incoming =
  | {
      readonly kind: 'request';
      readonly id: string | number;
      readonly method: string;
      readonly params: JsonObject;
    }
  | { readonly kind: 'notification'; readonly method: string; readonly params: JsonObject }
  | { readonly kind: 'result'; readonly id: string | number; readonly result: JsonObject }
  | { readonly kind: 'error'; readonly id: string | number | null; readonly error: RpcError };

/** An answer that says no, in the server's words. */
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

export const unknownMethod = -32601;
export const unsupportedRevision = -32022;

/** Deeper values would end the host when they are written again. */
const maxDepth = 200;
const maxBatch = 64;

/** The messages in a text: one, or a batch as the older revisions have them. Undefined where it is none. */
export function readMessages(text: string): readonly Incoming[] | undefined {
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

function readMessage(value: Json): Incoming | undefined {
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
    const words = typeof error.message === 'string' ? error.message : 'no reason was given';
    return { kind: 'error', id, error: new RpcError(code, words.slice(0, 4000), error.data) };
  }
  return id === null || !isObject(result) ? undefined : { kind: 'result', id, result };
}

function idOf(id: Json | undefined): string | number | null {
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}

/** Whether a value is nested deeper than the host would write again. */
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

/** What a server wrote beside its words. The protocol's own is for this hop only, and in the name of the host speaks nobody else. */
export function foreignMeta(meta: JsonObject): JsonObject {
  const isOurs = (key: string) => /^(?:io\.modelcontextprotocol|toolwharf)\//i.test(key);
  return Object.fromEntries(Object.entries(meta).filter(([key]) => !isOurs(key)));
}
