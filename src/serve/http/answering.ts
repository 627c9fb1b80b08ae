import type { IncomingMessage, ServerResponse } from 'node:http';
import { EventStream } from './event-stream.js';
import type { HttpLimits } from './limits.js';
import { Refusal } from './refusal.js';
import { send } from './reply.js';

/** What a visitor says it can read. */
export interface Accepted {
  readonly json: boolean;
  readonly stream: boolean;
}

/** What clients of the protocol say, as they mostly say it. */
const usual = 'application/json, text/event-stream';

export function acceptedOf(request: IncomingMessage): Accepted {
  if (request.headers.accept === usual) return { json: true, stream: true };
  const types = (request.headers.accept ?? '*/*')
    .toLowerCase()
    .split(',')
    .map((it) => it.split(';', 1)[0]?.trim());
  const accepted = {
    json: types.some((it) => it === 'application/json' || it === 'application/*' || it === '*/*'),
    stream: types.includes('text/event-stream'),
  };
  if (!accepted.json && !accepted.stream)
    throw new Refusal(406, 'usage', 'answers are application/json or text/event-stream');
  return accepted;
}

/**
 * The answer to one posted message: plain JSON when nothing comes before it, else a stream that ends with it. A long
 * wait becomes a stream too, because clients give up on a connection that says nothing.
 */
export class Answering {
  readonly #response: ServerResponse;
  readonly #accepted: Accepted;
  readonly #limits: HttpLimits;
  readonly #waiting: NodeJS.Timeout | undefined;
  #stream: EventStream | undefined;

  constructor(response: ServerResponse, accepted: Accepted, limits: HttpLimits) {
    this.#response = response;
    this.#accepted = accepted;
    this.#limits = limits;
    if (accepted.stream) this.#waiting = setTimeout(() => this.#begin(), limits.pingMs);
    this.#waiting?.unref();
  }

  /** Something that comes before the answer; false when the visitor takes no stream. */
  tell(text: string): boolean {
    if (!this.#accepted.stream || this.#response.writableEnded || this.#response.destroyed) return false;
    this.#open().send(text);
    return true;
  }

  /** Several texts are the answers of a batch. */
  answer(
    status: number,
    texts: readonly string[],
    batch: boolean,
    headers: Record<string, string> = {},
  ): void {
    clearTimeout(this.#waiting);
    if (this.#stream === undefined && (this.#accepted.json || status !== 200)) {
      const body = batch ? `[${texts.join(',')}]` : texts[0];
      send(this.#response, { status, type: 'application/json', body, headers }, this.#limits.readMs);
      return;
    }
    const stream = this.#open(headers);
    for (const it of texts) stream.send(it);
    stream.end();
  }

  /** Nothing is said: the request was canceled. */
  drop(): void {
    clearTimeout(this.#waiting);
    if (this.#stream !== undefined) this.#stream.end();
    else send(this.#response, { status: 202 }, this.#limits.readMs);
  }

  /** Nobody may be there any more. */
  #begin(): void {
    if (!this.#response.writableEnded && !this.#response.destroyed) this.#open();
  }

  #open(headers: Record<string, string> = {}): EventStream {
    clearTimeout(this.#waiting);
    this.#stream ??= new EventStream(this.#response, { headers, ...this.#limits });
    return this.#stream;
  }
}
