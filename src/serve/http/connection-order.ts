import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { HttpError } from './http-error.js';

/** Lets a connection have one request at a time. */
export class ConnectionOrder {
  /** The newest response of each connection. */
  readonly #newest = new WeakMap<Socket, ServerResponse>();

  /**
   * Resolves when the response has its connection; undefined if it has it already. Rejects a request that was sent before
   * the previous one was answered: Node would start it, buffer its answer, and not report when the client disconnects.
   */
  enter({ socket }: IncomingMessage, response: ServerResponse): Promise<void> | undefined {
    const previous = this.#newest.get(socket);
    this.#newest.set(socket, response);
    return response.socket === null ? this.#wait(socket, previous, response) : undefined;
  }

  async #wait(socket: Socket, previous: ServerResponse | undefined, response: ServerResponse): Promise<void> {
    // A fast client has all of a large answer before this process learns that it was sent.
    if (previous?.writableEnded === true && !socket.destroyed)
      await new Promise<void>((resolve) => {
        const done = () => {
          response.off('socket', done);
          socket.off('close', done);
          resolve();
        };
        response.once('socket', done);
        socket.once('close', done);
      });
    if (response.socket !== null) return;
    throw new HttpError(
      400,
      'usage',
      'the request was sent before the previous one on this connection was answered',
      {
        hint: 'wait for the answer, or open another connection',
        headers: { connection: 'close' },
      },
    );
  }
}
