// JSON-RPC 2.0 as extensions use it: one object per message, integer ids.
import { isObject, type Json, type JsonObject } from '../../model/json.js';
import type { JsonExcess } from '../../model/json-bounds.js';
import { methodNotFound } from '../../wire/rpc-code.js';
import type { Dialect, IncomingMessage } from '../rpc/dialect.js';
import { type MessageText, parseMessageText } from '../rpc/message-text.js';
import type { PeerRequest } from '../rpc/peer-channel.js';
import type { PeerHandlers } from '../rpc/peer-handlers.js';
import { RpcFailure } from '../rpc/rpc-failure.js';
import { RpcPeer } from '../rpc/rpc-peer.js';

export type NexoPeer = RpcPeer<PeerRequest, Json>;

const maxErrorText = 4000;
const excerptLength = 200;

/** What a message may have besides its result, in bytes. */
export const nexoEnvelopeBytes = 64 * 1024;
/** Maximum size of an answer whose request sets no limit. */
export const nexoAnswerBytes = 1024 * 1024;

const nexoDialect: Dialect<Json> = {
  limits: {
    flood: { messages: null, bytes: { burst: 8 * 1024 * 1024, perSecond: 64 * 1024 } },
    // Lines that are not messages are logs; their bytes are limited.
    invalidTexts: Number.POSITIVE_INFINITY,
    pendingRequests: 256,
    // Each is rejected at once.
    incomingRequests: Number.POSITIVE_INFINITY,
    answerBytes: nexoAnswerBytes,
    envelopeBytes: nexoEnvelopeBytes,
  },
  read(text) {
    const message = readMessage(text);
    return message === undefined || 'limit' in message ? message : [message];
  },
};

/** A peer for one extension. The host serves no methods to extensions. */
export function nexoPeer(handlers: Pick<PeerHandlers, 'onLog' | 'onFlood'>, now?: () => number): NexoPeer {
  const { onLog } = handlers;
  return new RpcPeer<PeerRequest, Json>(
    nexoDialect,
    {
      ...handlers,
      async onRequest(method) {
        onLog(`it requested ${method.slice(0, excerptLength)}, which the host does not support`);
        throw new RpcFailure(methodNotFound, `the host does not support the method ${method.slice(0, 100)}`);
      },
      onNotification: (method) =>
        onLog(`it sent the notification ${method.slice(0, excerptLength)}, which the host does not know`),
      onStrayAnswer: (id, isLate) =>
        onLog(`the answer with id ${id} ${isLate ? 'is late or repeated' : 'matches no request'}`),
    },
    now,
  );
}

function readMessage(text: string): IncomingMessage<Json> | JsonExcess | undefined {
  let { value: message, excess } = parse(text);
  // Some bridges send a message as a JSON string inside JSON.
  if (typeof message === 'string') ({ value: message, excess } = parse(message));
  if (!isObject(message)) return excess;
  const { id, method } = message;
  if (typeof method === 'string') {
    // The host reads no params.
    if (id === undefined) return { kind: 'notification', method, params: {} };
    const canAnswer = typeof id === 'number' || typeof id === 'string';
    return { kind: 'request', id: canAnswer ? id : null, method, params: {} };
  }
  if (typeof id !== 'number') return undefined;
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
function parse(text: string): MessageText {
  return /^\s*[{"]/.test(text) ? parseMessageText(text) : {};
}
