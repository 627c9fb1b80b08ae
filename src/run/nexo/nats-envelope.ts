// How messages are written on NATS: in the envelope of the broker, or as bare JSON-RPC by older programs.
import { isObject, type Json, type JsonObject } from '../../model/json.js';
import { documentLimits, type JsonExcess, tryParseBounded } from '../../model/json-bounds.js';
import { parseMessageText } from '../rpc/message-text.js';

export type NatsForm = 'envelope' | 'bare';

/** A message without its envelope. */
export interface UnwrappedMessage {
  readonly form: NatsForm;
  readonly text: string;
}

/** An event of the broker can contain a message of the broker, which contains the text. */
const maxLevels = 3;

export function otherForm(form: NatsForm): NatsForm {
  return form === 'envelope' ? 'bare' : 'envelope';
}

/** Puts the text of a request into an envelope. `replyTo`: the subject for the answer. */
export function wrapRequest(text: string, { id, topic, replyTo }: EnvelopeAddress): string {
  return JSON.stringify({ id, topic, reply_to: replyTo, payload: text });
}

export interface EnvelopeAddress {
  /** A UUID; extensions of the original runtime reject anything else. */
  readonly id: string;
  readonly topic: string;
  readonly replyTo: string;
}

/** The text of a JSON-RPC message. A text over a limit of JSON is not parsed. */
export function unwrapMessage(text: string): UnwrappedMessage | JsonExcess {
  const { value, excess } = parseMessageText(text);
  if (excess !== undefined) return excess;
  const payload = payloadOf(value);
  if (payload === undefined) return { form: 'bare', text };
  return { form: 'envelope', text: typeof payload === 'string' ? payload : JSON.stringify(payload) };
}

/** A message of the registry: an announcement, a heartbeat or a goodbye. Empty if it is not valid. */
export function readCard(text: string): JsonObject {
  const value = tryParseBounded(text, documentLimits);
  const card = payloadOf(value) ?? value;
  const inner = typeof card === 'string' ? tryParseBounded(card, documentLimits) : card;
  return isObject(inner) ? inner : {};
}

/** The content of an envelope; undefined if the value is not one. */
function payloadOf(value: Json | undefined): Json | undefined {
  let content: Json | undefined;
  for (let level = 0, next = value; level < maxLevels && isEnvelope(next); level++) {
    content = next.payload;
    next = content;
  }
  return content;
}

function isEnvelope(value: Json | undefined): value is JsonObject {
  return (
    isObject(value) &&
    typeof value.topic === 'string' &&
    Object.hasOwn(value, 'payload') &&
    !Object.hasOwn(value, 'jsonrpc') &&
    !Object.hasOwn(value, 'method')
  );
}
