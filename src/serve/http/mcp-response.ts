import type { IncomingMessage, ServerResponse } from 'node:http';
import { EventStream } from './event-stream.js';
import { HttpError } from './http-error.js';
import { sendReply } from './http-reply.js';
import type { ReplayStream } from './replay-stream.js';
import type { HttpServerLimits } from './server-limits.js';

/** Content types that the client accepts. */
export interface AcceptedTypes {
  readonly json: boolean;
  readonly stream: boolean;
}

/** The value that most MCP clients send; compared first because it is cheap. */
const commonAccept = 'application/json, text/event-stream';

export function acceptedTypes(request: IncomingMessage): AcceptedTypes {
  if (request.headers.accept === commonAccept) return { json: true, stream: true };
  const types = (request.headers.accept ?? '*/*')
    .toLowerCase()
    .split(',')
    .map((it) => it.split(';', 1)[0]?.trim());
  const accepted = {
    json: types.some((it) => it === 'application/json' || it === 'application/*' || it === '*/*'),
    stream: types.includes('text/event-stream'),
  };
  if (!accepted.json && !accepted.stream)
    throw new HttpError(406, 'usage', 'the Accept header must allow application/json or text/event-stream');
  return accepted;
}

/**
 * The HTTP response to one posted MCP message. It is plain JSON if there is only the answer, and an event stream that
 * ends with the answer if notifications come first. A slow answer also becomes a stream: clients close silent connections,
 * and only a stream can be resumed.
 */
export class McpResponse {
  readonly #response: ServerResponse;
  readonly #accepted: AcceptedTypes;
  readonly #limits: HttpServerLimits;
  #replay: ReplayStream | undefined;
  #streamTimer: NodeJS.Timeout | undefined;
  #stream: EventStream | undefined;

  constructor(response: ServerResponse, accepted: AcceptedTypes, limits: HttpServerLimits) {
    this.#response = response;
    this.#accepted = accepted;
    this.#limits = limits;
    this.#startStreamIn(limits.pingMs);
  }

  get acceptsStream(): boolean {
    return this.#accepted.stream;
  }

  /** Keeps what is sent for a client that loses its connection. Call it before anything is sent. */
  keepIn(replay: ReplayStream): void {
    this.#replay = replay;
    this.#startStreamIn(Math.min(this.#limits.resumableMs, this.#limits.pingMs));
  }

  /**
   * Sends a message before the answer. Returns false if the client does not accept a stream, or cannot come back to it.
   * `isNeeded`: it is not left out, however long the client is gone.
   */
  sendEarly(text: string, isNeeded = false): boolean {
    if (!this.#accepted.stream) return false;
    if (this.#isGone) {
      if (this.#replay?.isResumable !== true) return false;
      this.#replay.send(text, isNeeded);
      return true;
    }
    const stream = this.#open();
    if (this.#replay === undefined) stream.send(text);
    else this.#replay.send(text, isNeeded);
    return true;
  }

  /** Sends the answer. Several texts are the answers to a batch. */
  finish(status: number, texts: readonly string[], batch: boolean, headers?: Record<string, string>): void {
    clearTimeout(this.#streamTimer);
    if (this.#stream === undefined && (this.#accepted.json || status !== 200)) {
      this.#replay?.close();
      const body = batch ? `[${texts.join(',')}]` : texts[0];
      sendReply(this.#response, { status, type: 'application/json', body, headers }, this.#limits.readMs);
      return;
    }
    const stream = this.#open(headers);
    if (this.#replay === undefined) {
      for (const it of texts) stream.send(it);
      stream.end();
      return;
    }
    for (const it of texts) this.#replay.send(it, true);
    this.#replay.end();
  }

  /** Ends the response without an answer, because the request was canceled. */
  finishEmpty(): void {
    clearTimeout(this.#streamTimer);
    this.#replay?.close();
    if (this.#stream !== undefined) this.#stream.end();
    else sendReply(this.#response, { status: 202 }, this.#limits.readMs);
  }

  /** Starts the stream later, unless the client has disconnected. */
  #startStreamIn(milliseconds: number): void {
    clearTimeout(this.#streamTimer);
    if (!this.#accepted.stream) return;
    this.#streamTimer = setTimeout(() => {
      if (!this.#isGone) this.#open();
    }, milliseconds);
    this.#streamTimer.unref();
  }

  get #isGone(): boolean {
    return this.#response.writableEnded || this.#response.destroyed;
  }

  #open(headers: Record<string, string> = {}): EventStream {
    clearTimeout(this.#streamTimer);
    if (this.#stream !== undefined) return this.#stream;
    this.#stream = new EventStream(this.#response, { headers, ...this.#limits });
    this.#replay?.connect(this.#stream);
    return this.#stream;
  }
}
