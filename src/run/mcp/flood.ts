/** What a server may say without being asked: this much at once, and this much each second from then on. */
export interface FloodBounds {
  readonly messages: number;
  readonly messagesEachSecond: number;
  readonly bytes: number;
  readonly bytesEachSecond: number;
}

export const usualFlood: FloodBounds = {
  messages: 2000,
  messagesEachSecond: 500,
  bytes: 32 * 1024 * 1024,
  bytesEachSecond: 4 * 1024 * 1024,
};

/** Tells a chatty program from one that would keep the host busy with reading. */
export class Flood {
  readonly #bounds: FloodBounds;
  readonly #now: () => number;
  #messages: number;
  #bytes: number;
  #at: number;

  constructor(bounds: FloodBounds = usualFlood, now: () => number = () => performance.now()) {
    this.#bounds = bounds;
    this.#now = now;
    this.#messages = bounds.messages;
    this.#bytes = bounds.bytes;
    this.#at = now();
  }

  /** False when it is too much. */
  admits(bytes: number): boolean {
    const { messages, messagesEachSecond, bytes: most, bytesEachSecond } = this.#bounds;
    const now = this.#now();
    const seconds = (now - this.#at) / 1000;
    this.#at = now;
    this.#messages = Math.min(messages, this.#messages + seconds * messagesEachSecond) - 1;
    this.#bytes = Math.min(most, this.#bytes + seconds * bytesEachSecond) - bytes;
    return this.#messages >= 0 && this.#bytes >= 0;
  }
}
