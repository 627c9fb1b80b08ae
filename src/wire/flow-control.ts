import type { LineConnection } from './line-connection.js';

/** Open requests per client. */
const maxOpen = 64;
/** Their size in bytes. The last one may exceed it. */
const maxOpenBytes = 16 * 1024 * 1024;

/** Pauses reading while a client has too many open requests or does not read its answers. */
export class FlowControl {
  readonly #connection: LineConnection;
  #open = 0;
  #openBytes = 0;
  #isFull = false;
  #isPaused = false;

  constructor(connection: LineConnection) {
    this.#connection = connection;
    connection.onDrain(() => {
      this.#isFull = false;
      this.#update();
    });
  }

  /** Counts a request of `bytes` until its answer is sent. */
  async track(work: Promise<string | undefined>, bytes: number): Promise<void> {
    this.#open++;
    this.#openBytes += bytes;
    this.#update();
    try {
      const line = await work;
      if (line !== undefined) this.send(line);
    } finally {
      this.#open--;
      this.#openBytes -= bytes;
      this.#update();
    }
  }

  /** Sends a line that is not an answer. */
  send(line: string): void {
    if (this.#connection.write(line)) return;
    this.#isFull = true;
    this.#update();
  }

  /** Pauses or resumes the stream only on a change, because the calls are not free. */
  #update(): void {
    const isPaused = this.#isFull || this.#open >= maxOpen || this.#openBytes >= maxOpenBytes;
    if (isPaused === this.#isPaused) return;
    this.#isPaused = isPaused;
    if (isPaused) this.#connection.input.pause();
    else this.#connection.input.resume();
  }
}
