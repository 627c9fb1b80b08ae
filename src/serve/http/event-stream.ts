import type { ServerResponse } from 'node:http';
import { guardHeaders } from './reply.js';

export interface EventStreamOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly pingMs: number;
  readonly readMs: number;
}

/** How much a reader may be behind. */
const maxBehindBytes = 16 * 1024 * 1024;

/** Server-sent events on one response. A reader that does not read is cut off. */
export class EventStream {
  readonly #response: ServerResponse;
  readonly #ping: NodeJS.Timeout;
  readonly #readMs: number;
  #late: NodeJS.Timeout | undefined;

  constructor(response: ServerResponse, { headers = {}, pingMs, readMs }: EventStreamOptions) {
    this.#response = response;
    this.#readMs = readMs;
    response.writeHead(200, {
      ...guardHeaders,
      'cache-control': 'no-store, no-transform',
      'content-type': 'text/event-stream',
      'x-accel-buffering': 'no',
      ...headers,
    });
    response.flushHeaders();
    // A connection that is gone shows only when something is written to it.
    this.#ping = setInterval(() => this.#write(':\n\n'), pingMs);
    response.on('drain', () => this.#clear());
    response.once('close', () => {
      clearInterval(this.#ping);
      this.#clear();
    });
  }

  /** JSON on one line. */
  send(text: string): void {
    this.#write(`event: message\ndata: ${text}\n\n`);
  }

  end(): void {
    clearInterval(this.#ping);
    if (this.#response.writableEnded || this.#response.destroyed) return;
    this.#late ??= setTimeout(() => this.#response.socket?.destroy(), this.#readMs);
    this.#response.end();
  }

  #write(text: string): void {
    if (this.#response.writableEnded || this.#response.destroyed) return;
    if (!this.#response.write(text)) {
      this.#late ??= setTimeout(() => this.#response.socket?.destroy(), this.#readMs);
    }
    if (this.#response.writableLength > maxBehindBytes) this.#response.socket?.destroy();
  }

  #clear(): void {
    clearTimeout(this.#late);
    this.#late = undefined;
  }
}
