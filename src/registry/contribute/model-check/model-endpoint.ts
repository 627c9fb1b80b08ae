import type { CancelSignal } from '../../../model/cancel-signal.js';
import { HostError } from '../../../model/host-error.js';
import { isObject } from '../../../model/json.js';
import { answerLimits, tryParseBounded } from '../../../model/json-bounds.js';
import type { NetworkHost } from '../../../model/permissions.js';
import { parseDestination } from '../../../net/destination.js';
import type { HttpClient } from '../../../net/http-client.js';
import type { ModelQuestion, TextModel } from './text-model.js';

/** The two forms of requests that nearly all model servers understand. */
export const endpointShapes = ['openai', 'anthropic'] as const;

export type EndpointShape = (typeof endpointShapes)[number];

export interface ModelEndpoint {
  /** The complete URL, such as `https://api.example.com/v1/chat/completions`. */
  readonly url: string;
  readonly shape: EndpointShape;
  readonly model: string;
  /** Read for each question and kept nowhere. Undefined: the server needs none. */
  readonly key: (() => Promise<string | undefined>) | undefined;
}

export interface ModelConnection {
  readonly client: HttpClient;
  /** Granted by the operator; needed for plain http and private addresses. */
  readonly granted: readonly NetworkHost[];
  readonly certificates?: string | undefined;
  readonly signal: CancelSignal;
  readonly timeoutMs?: number;
}

const maxAnswerTokens = 8192;
const maxBody = 1024 * 1024;
const maxTries = 2;

/** A model behind an HTTP endpoint. Errors name the status only: a server's own words could repeat the key. */
export function modelEndpoint(endpoint: ModelEndpoint, connection: ModelConnection): TextModel {
  const { host, port } = parseDestination(endpoint.url);
  const { client, granted, certificates, signal, timeoutMs = 120_000 } = connection;
  const send = async (question: ModelQuestion) => {
    const key = await endpoint.key?.();
    return client.send({
      method: 'POST',
      url: endpoint.url,
      headers: {
        'content-type': 'application/json',
        accept: 'application/json',
        ...keyHeaders(endpoint.shape, key),
      },
      body: JSON.stringify(bodyOf(endpoint, question)),
      reach: { hosts: [{ host, port }], granted, certificates },
      limits: { wallMs: timeoutMs, bodyBytes: maxBody },
      // Never follows a redirect.
      credential: true,
      signal,
    });
  };
  return {
    name: `${endpoint.model} at ${host}`,
    async ask(question) {
      for (let attempt = 1; ; attempt++) {
        const { status, body } = await send(question);
        if (status === 200) return answerOf(endpoint.shape, body.toString('utf8'), host);
        const isBusy = status === 429 || status >= 500;
        if (!isBusy || attempt === maxTries)
          throw new HostError('upstream_failed', `${host} answered with status ${status}`);
      }
    },
  };
}

function keyHeaders(shape: EndpointShape, key: string | undefined): Record<string, string> {
  if (shape === 'anthropic')
    return { 'anthropic-version': '2023-06-01', ...(key === undefined ? {} : { 'x-api-key': key }) };
  return key === undefined ? {} : { authorization: `Bearer ${key}` };
}

function bodyOf({ shape, model }: ModelEndpoint, { system, user }: ModelQuestion) {
  if (shape === 'anthropic')
    return { model, max_tokens: maxAnswerTokens, system, messages: [{ role: 'user', content: user }] };
  const messages = [
    { role: 'system', content: system },
    { role: 'user', content: user },
  ];
  return { model, messages, response_format: { type: 'json_object' } };
}

/** The one text of an answer that is complete. */
function answerOf(shape: EndpointShape, text: string, host: string): string {
  const value = tryParseBounded(text, { ...answerLimits, bytes: maxBody });
  const answer = isObject(value)
    ? shape === 'openai'
      ? chatAnswer(value)
      : messageAnswer(value)
    : undefined;
  if (answer === undefined)
    throw new HostError('upstream_failed', `${host} did not answer with one complete text`);
  return answer;
}

function chatAnswer({ choices }: Record<string, unknown>): string | undefined {
  if (!Array.isArray(choices) || choices.length !== 1) return undefined;
  const [{ message, finish_reason: reason }] = choices as [Record<string, unknown>];
  return isObject(message) && typeof message.content === 'string' && reason === 'stop'
    ? message.content
    : undefined;
}

function messageAnswer({ content, stop_reason: reason }: Record<string, unknown>): string | undefined {
  if (!Array.isArray(content) || content.length !== 1 || reason !== 'end_turn') return undefined;
  const [part] = content as [unknown];
  return isObject(part) && part.type === 'text' && typeof part.text === 'string' ? part.text : undefined;
}
