import type { Carrier } from './carrier.js';

/** Requests of one client that may be under way at once. */
const maxOpen = 64;

/** Reads on only while a client has few requests open and takes its answers: what it sends waits in its own buffers. */
export class Flow {
  readonly #carrier: Carrier;
  #open = 0;
  #full = false;
  #waits = false;

  constructor(carrier: Carrier) {
    this.#carrier = carrier;
    carrier.onDrain(() => {
      this.#full = false;
      this.#steer();
    });
  }

  /** Counts a request until its answer has been sent. */
  async track(work: Promise<string | undefined>): Promise<void> {
    this.#open++;
    this.#steer();
    try {
      const line = await work;
      if (line !== undefined) this.send(line);
    } finally {
      this.#open--;
      this.#steer();
    }
  }

  /** A line that nobody waits for. */
  send(line: string): void {
    if (this.#carrier.write(line)) return;
    this.#full = true;
    this.#steer();
  }

  /** Most of the time nothing changes, and telling the stream so again is not free. */
  #steer(): void {
    const waits = this.#full || this.#open >= maxOpen;
    if (waits === this.#waits) return;
    this.#waits = waits;
    if (waits) this.#carrier.input.pause();
    else this.#carrier.input.resume();
  }
}
