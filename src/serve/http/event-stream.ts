import type { ServerResponse } from 'node:http';
import { securityHeaders } from './http-reply.js';

export interface EventStreamOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly pingMs: number;
  readonly readMs: number;
}

/** Bytes that may wait for a slow reader. */
const maxBufferedBytes = 16 * 1024 * 1024;

/** Server-sent events on one response. A client that does not read is disconnected. */
export class EventStream {
  readonly #response: ServerResponse;
  readonly #ping: NodeJS.Timeout;
  readonly #readMs: number;
  #cutOffTimer: NodeJS.Timeout | undefined;

  constructor(response: ServerResponse, { headers = {}, pingMs, readMs }: EventStreamOptions) {
    this.#response = response;
    this.#readMs = readMs;
    response.writeHead(200, {
      ...securityHeaders,
      'cache-control': 'no-store, no-transform',
      'content-type': 'text/event-stream',
      'x-accel-buffering': 'no',
      ...headers,
    });
    response.flushHeaders();
    // A broken connection is noticed only on write.
    this.#ping = setInterval(() => this.#write(':\n\n'), pingMs);
    response.on('drain', () => this.#clear());
    response.once('close', () => {
      clearInterval(this.#ping);
      this.#clear();
    });
  }

  /** Sends one event. The text is JSON on one line. `id`: where a client can come back after it. */
  send(text: string, id?: string): void {
    this.#write(`${id === undefined ? '' : `id: ${id}\n`}event: message\ndata: ${text}\n\n`);
  }

  /** Sends an id without a message, and when to come back if the connection breaks. */
  prime(id: string, retryMs: number): void {
    this.#write(`id: ${id}\nretry: ${retryMs}\ndata:\n\n`);
  }

  /** Calls back when the connection is closed, by whichever side. */
  onClose(listener: () => void): void {
    if (this.#response.closed || this.#response.destroyed) listener();
    else this.#response.once('close', listener);
  }

  end(): void {
    clearInterval(this.#ping);
    if (this.#response.writableEnded || this.#response.destroyed) return;
    this.#cutOffTimer ??= setTimeout(() => this.#response.socket?.destroy(), this.#readMs);
    this.#response.end();
  }

  #write(text: string): void {
    if (this.#response.writableEnded || this.#response.destroyed) return;
    if (!this.#response.write(text)) {
      this.#cutOffTimer ??= setTimeout(() => this.#response.socket?.destroy(), this.#readMs);
    }
    if (this.#response.writableLength > maxBufferedBytes) this.#response.socket?.destroy();
  }

  #clear(): void {
    clearTimeout(this.#cutOffTimer);
    this.#cutOffTimer = undefined;
  }
}
