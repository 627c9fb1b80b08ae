import { isObject, type Json, type JsonObject } from '../../model/json.js';
import { requestLimits, tryParseBounded } from '../../model/json-bounds.js';
import { declares2026 } from '../mcp/era-2026/envelope.js';
import type { RequestId } from '../mcp/json-rpc.js';

/** One line from a client: a message, or a batch of them. */
export interface ClientLine {
  /** As the client wrote it. It is sent unchanged. */
  readonly text: string;
  readonly messages: readonly JsonObject[];
  /** Ids of the requests in it, which the server must answer. */
  readonly ids: readonly RequestId[];
  /** Ids of the server's requests that it answers. */
  readonly answers: readonly RequestId[];
  /** Method of a single message; undefined for a batch and for a response. */
  readonly method: string | undefined;
  /** Params of a single message. */
  readonly params: JsonObject;
  readonly is2026: boolean;
}

/** Undefined: it is not JSON, or too complex to parse. */
export function readClientLine(text: string): ClientLine | undefined {
  const value = tryParseBounded(text, requestLimits);
  const messages = (Array.isArray(value) ? value : [value]).filter(isObject);
  if (messages.length === 0) return undefined;
  const single = isObject(value) ? value : undefined;
  const params = isObject(single?.params) ? single.params : {};
  return {
    text,
    messages,
    ids: messages.flatMap(idsOfRequest),
    answers: messages.flatMap((it) => idOfAnswer(it) ?? []),
    method: typeof single?.method === 'string' ? single.method : undefined,
    params,
    is2026: declares2026(params),
  };
}

/** The id of a message if it is a request, as a list. */
export function idsOfRequest({ id, method }: JsonObject): readonly RequestId[] {
  return typeof method === 'string' && isRequestId(id) ? [id] : [];
}

/** The id of the request that a message answers; undefined for a request or a notification. */
export function idOfAnswer(message: Json | undefined): RequestId | undefined {
  if (!isObject(message) || message.method !== undefined) return undefined;
  return isRequestId(message.id) ? message.id : undefined;
}

function isRequestId(id: Json | undefined): id is RequestId {
  return typeof id === 'string' || typeof id === 'number';
}
