import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { ChangeProgress } from '../../host/host.js';
import { limitProgress } from '../progress-limit.js';
import { EventStream } from './event-stream.js';
import { type HttpReply, sendReply } from './http-reply.js';

/** Whether a client wants to be told about the progress of an operation. */
export function wantsProgress({ accept = '' }: IncomingHttpHeaders): boolean {
  return accept.split(',').some((it) => it.trim().toLowerCase().startsWith('text/event-stream'));
}

export interface ProgressEventsOptions {
  readonly pingMs: number;
  readonly readMs: number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/**
 * Reports progress as server-sent events. The first one starts the stream, and the last one is the reply. Without any
 * progress the reply is an ordinary one, with its status.
 */
export class ProgressEvents {
  readonly #response: ServerResponse;
  readonly #options: ProgressEventsOptions;
  #stream: EventStream | undefined;
  readonly send: (progress: ChangeProgress) => void;

  constructor(response: ServerResponse, options: ProgressEventsOptions) {
    this.#response = response;
    this.#options = options;
    this.send = limitProgress((progress) => this.#send({ progress }), options.now);
  }

  finish(reply: HttpReply): void {
    if (this.#stream === undefined) {
      sendReply(this.#response, reply, this.#options.readMs);
      return;
    }
    this.#send(reply.body);
    this.#stream.end();
  }

  #send(value: unknown): void {
    if (this.#response.destroyed) return;
    this.#stream ??= new EventStream(this.#response, this.#options);
    this.#stream.send(JSON.stringify(value));
  }
}
