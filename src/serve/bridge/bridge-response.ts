import type { IncomingMessage } from 'node:http';
import { HostError } from '../../model/host-error.js';
import { eventsOf } from '../../wire/event-stream.js';
import { connectionLost, notMcp, type RejectedResponse } from './bridge-failure.js';

/** Maximum size of one message of the server, in bytes. */
const maxMessageBytes = 256 * 1024 * 1024;

/** Where a stream of events can be continued. */
export interface StreamPosition {
  /** Id of the last event; undefined if the server gives none. */
  lastEventId: string | undefined;
  /** How long the server asks to wait before a new connection. */
  retryMs: number | undefined;
}

export function newPosition(): StreamPosition {
  return { lastEventId: undefined, retryMs: undefined };
}

/** The messages in a successful response, each as one line without its end. */
export async function* messagesIn(
  response: IncomingMessage,
  url: URL,
  position: StreamPosition,
): AsyncGenerator<string> {
  const type = response.headers['content-type'];
  try {
    if (isEventStream(response)) {
      const onField = (field: 'id' | 'retry', value: string) => {
        if (field === 'id') position.lastEventId = value;
        else if (/^\d{1,6}$/.test(value)) position.retryMs = Number(value);
      };
      for await (const it of eventsOf(response, maxMessageBytes, () => tooLarge(url), onField)) {
        if (it.trim() !== '') yield oneLine(it);
      }
      return;
    }
    const text = await textOf(response, url);
    if (text.trim() === '') return;
    if (type === undefined || !/[/+]json\b/i.test(type)) throw notMcp(url, type);
    yield oneLine(text);
  } catch (error) {
    throw error instanceof HostError ? error : connectionLost(url, error);
  } finally {
    // A response that was read to its end leaves its connection for the next request.
    if (!response.complete) response.destroy();
  }
}

export function isEventStream({ headers }: IncomingMessage): boolean {
  return /^text\/event-stream\b/i.test(headers['content-type'] ?? '');
}

export function isSuccess({ statusCode = 0 }: IncomingMessage): boolean {
  return statusCode >= 200 && statusCode <= 299;
}

/** A response with an error status, with its body. */
export async function rejectionIn(response: IncomingMessage, url: URL): Promise<RejectedResponse> {
  const text = await textOf(response, url).catch(() => '');
  return { status: response.statusCode ?? 0, location: response.headers.location, text };
}

async function textOf(response: IncomingMessage, url: URL): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response) {
    size += (chunk as Buffer).length;
    if (size > maxMessageBytes) throw tooLarge(url);
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Line ends in JSON are only between values, where a space means the same. */
function oneLine(text: string): string {
  return /[\r\n]/.test(text) ? text.replace(/[\r\n]+/g, ' ') : text;
}

function tooLarge({ origin }: URL): HostError {
  const limit = maxMessageBytes.toLocaleString('en');
  return new HostError('output_too_large', `a message of ${origin} is larger than ${limit} bytes`);
}
