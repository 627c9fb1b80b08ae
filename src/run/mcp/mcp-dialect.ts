import {
  missableCapabilities,
  missingCapabilityCode,
  pagesRequiredCode,
} from '../../model/client-capability.js';
import { HostError, type ToolError } from '../../model/host-error.js';
import { isObject, type Json, type JsonObject } from '../../model/json.js';
import type { JsonExcess } from '../../model/json-bounds.js';
import type { Dialect, IncomingMessage, PeerLimits } from '../rpc/dialect.js';
import { parseMessageText } from '../rpc/message-text.js';
import type { PeerRequest } from '../rpc/peer-channel.js';
import { RpcFailure } from '../rpc/rpc-failure.js';
import type { RpcPeer } from '../rpc/rpc-peer.js';

/** A request to a server. */
export interface McpRequest extends PeerRequest {
  /** The tool, prompt or resource that the request is about. */
  readonly subject?: string | undefined;
  /** The input schema, if a tool is called. */
  readonly schema?: JsonObject | undefined;
  readonly arguments?: JsonObject | undefined;
  readonly onNetworkDenied?: ((hosts: readonly string[]) => void) | undefined;
}

export type McpPeer = RpcPeer<McpRequest, JsonObject>;

/** Maximum size of an answer whose request sets no limit. */
export const mcpAnswerBytes = 8 * 1024 * 1024;

const limits: PeerLimits = {
  flood: {
    messages: { burst: 2000, perSecond: 500 },
    bytes: { burst: 32 * 1024 * 1024, perSecond: 4 * 1024 * 1024 },
  },
  invalidTexts: 100,
  // Not limited: each of them ends with its timeout at the latest.
  pendingRequests: Number.POSITIVE_INFINITY,
  incomingRequests: 32,
  answerBytes: mcpAnswerBytes,
  envelopeBytes: 0,
};

/** `requestMeta`: the current `_meta` of every request; undefined: none. */
export function mcpDialect(requestMeta: () => JsonObject | undefined): Dialect<JsonObject> {
  return {
    limits,
    read: readMessages,
    params(params, progressToken) {
      const { _meta: given } = params;
      const always = requestMeta();
      if (given === undefined && always === undefined && progressToken === undefined) return params;
      const own = isObject(given) ? given : {};
      const meta = { ...always, ...own, ...(progressToken === undefined ? {} : { progressToken }) };
      return Object.keys(meta).length === 0 ? params : { ...params, _meta: meta };
    },
    cancellation: (requestId, reason) => ({
      method: 'notifications/cancelled',
      params: { requestId, reason },
    }),
    progress(method, { progressToken, progress, total, message }) {
      if (method !== 'notifications/progress' || typeof progress !== 'number') return undefined;
      return {
        token: progressToken,
        progress: {
          progress,
          ...(typeof total === 'number' ? { total } : {}),
          ...(typeof message === 'string' ? { message: message.slice(0, 1000) } : {}),
        },
      };
    },
  };
}

export const unsupportedRevision = -32022;

const maxBatch = 64;

/** Parses one message, or a batch of the older revisions. Undefined if the text is invalid. */
function readMessages(text: string): readonly IncomingMessage<JsonObject>[] | JsonExcess | undefined {
  const { value, excess } = parseMessageText(text);
  if (value === undefined) return excess;
  if (!Array.isArray(value)) {
    const message = readMessage(value);
    return message === undefined ? undefined : [message];
  }
  const messages = value.slice(0, maxBatch).map(readMessage);
  return messages.length > 0 && messages.every((it) => it !== undefined) ? messages : undefined;
}

function readMessage(value: Json): IncomingMessage<JsonObject> | undefined {
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
    return { kind: 'failure', id, failure: new RpcFailure(code, text.slice(0, 4000), error.data) };
  }
  return id === null || !isObject(result) ? undefined : { kind: 'result', id, value: result };
}

function idOf(id: Json | undefined): string | number | null {
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}

/** Converts an error response to a HostError; returns other errors unchanged. */
export function toHostError(error: unknown, name: string): unknown {
  if (!(error instanceof RpcFailure)) return error;
  const message = `${name}: its server answered with an error: ${error.message}`;
  return new HostError('upstream_failed', message, { cause: error, ...missingIn(error) });
}

/** What the client lacks or its user must do, in the form of the server's error, so that a client gets the same one. */
function missingIn({ code, message, data }: RpcFailure): { readonly toolError?: ToolError } {
  if (code === pagesRequiredCode && isObject(data) && Array.isArray(data.elicitations)) {
    const { elicitations } = data;
    return { toolError: { code: String(code), message, details: { elicitations } } };
  }
  const required = isObject(data) ? data.requiredCapabilities : undefined;
  if (code !== missingCapabilityCode || !isObject(required)) return {};
  const requiredCapabilities = Object.fromEntries(
    missableCapabilities.filter((it) => Object.hasOwn(required, it)).map((it) => [it, {}]),
  );
  return { toolError: { code: String(code), message, details: { requiredCapabilities } } };
}

export function optionalText(value: Json | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
