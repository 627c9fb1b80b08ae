import type { ByteShare } from '../../wire/byte-budget.js';
import type { EventStream } from './event-stream.js';

export interface ReplayStreamOptions {
  /** The first part of the ids of its events. */
  readonly name: string;
  /** Bytes of events that may be kept. */
  readonly share: ByteShare;
  /** How long a client may take to come back, in milliseconds. */
  readonly resumeMs: number;
  /** The client has the first id before there is a message. Clients of older revisions would not understand it. */
  readonly isPrimed: boolean;
  /** No client will come for the rest. */
  readonly onAbandoned: () => void;
  readonly onClosed: () => void;
}

interface ReplayEvent {
  readonly number: number;
  readonly text: string;
  /** A question or an answer. Others may be left out if there are too many. */
  readonly isNeeded: boolean;
}

/** Events that are not needed: progress, log messages, reports of changes. */
const maxOptional = 1000;
/** When a client should come back. Milliseconds. */
const retryMs = 1000;
/** How long the events of an ended stream are kept for a client that was connected to the end. Milliseconds. */
const deliveredMs = 5000;

/**
 * The messages of one stream of a session. Each has an id. A client whose connection broke gets those after the last one
 * that it has, on a new connection. If they need too much room, the stream is like one without ids.
 */
export class ReplayStream {
  readonly #options: ReplayStreamOptions;
  #events: ReplayEvent[] = [];
  #optional = 0;
  #last = 0;
  /** The newest event that is not kept any more. */
  #forgotten = 0;
  #connection: EventStream | undefined;
  #timer: NodeJS.Timeout | undefined;
  #hasId = false;
  #isFull = false;
  #isEnded = false;
  #isClosed = false;

  constructor(options: ReplayStreamOptions) {
    this.#options = options;
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  get isConnected(): boolean {
    return this.#connection !== undefined;
  }

  /** Whether a client that loses its connection now can come back. */
  get isResumable(): boolean {
    return this.#hasId && !this.#isFull && !this.#isClosed;
  }

  /** Uses a connection from now on. The one before ends. */
  connect(connection: EventStream): void {
    this.#use(connection);
    if (!this.#options.isPrimed) return;
    connection.prime(this.#id(this.#last), retryMs);
    this.#hasId = true;
  }

  /** Whether all that came after an event is kept. */
  has(after: number): boolean {
    return this.isResumable && after <= this.#last && after >= this.#forgotten;
  }

  /** Uses a connection from now on, and sends what came after an event. */
  resume(connection: EventStream, after: number): void {
    this.#use(connection);
    for (const { number, text } of this.#events) if (number > after) connection.send(text, this.#id(number));
    if (this.#isEnded) this.#finish(connection);
  }

  send(text: string, isNeeded: boolean): void {
    this.#last++;
    this.#keep({ number: this.#last, text, isNeeded });
    if (!this.#isFull) this.#hasId = true;
    this.#connection?.send(text, this.#isFull ? undefined : this.#id(this.#last));
    if (this.#isFull && this.#connection === undefined) this.#abandon();
  }

  /** The last message was sent. */
  end(): void {
    this.#isEnded = true;
    if (this.#connection !== undefined) this.#finish(this.#connection);
  }

  /** Ends the connection. Nobody can come back. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#forget();
    this.#connection?.end();
    this.#options.onClosed();
  }

  #use(connection: EventStream): void {
    clearTimeout(this.#timer);
    const previous = this.#connection;
    this.#connection = connection;
    previous?.end();
    connection.onClose(() => {
      if (this.#connection !== connection) return;
      this.#connection = undefined;
      if (this.#isClosed) return;
      if (!this.isResumable) this.#abandon();
      else if (!this.#isEnded) this.#abandonIn(this.#options.resumeMs);
    });
  }

  /** The client may have lost its connection before the end, so it can come back for a while. */
  #finish(connection: EventStream): void {
    connection.end();
    this.#abandonIn(deliveredMs);
  }

  #abandonIn(milliseconds: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#abandon(), milliseconds);
    this.#timer.unref();
  }

  #abandon(): void {
    this.close();
    this.#options.onAbandoned();
  }

  #keep(event: ReplayEvent): void {
    if (this.#isFull) return;
    if (!event.isNeeded) this.#makeRoom();
    if (this.#options.share.take(event.text.length) !== undefined) {
      this.#isFull = true;
      this.#forget();
      return;
    }
    if (!event.isNeeded) this.#optional++;
    this.#events.push(event);
  }

  /** Leaves out the oldest event that is not needed, if there are too many. */
  #makeRoom(): void {
    if (this.#optional < maxOptional) return;
    const [oldest] = this.#events.splice(
      this.#events.findIndex((it) => !it.isNeeded),
      1,
    );
    this.#optional--;
    this.#options.share.give(oldest?.text.length ?? 0);
  }

  #forget(): void {
    this.#options.share.give(this.#events.reduce((sum, it) => sum + it.text.length, 0));
    this.#forgotten = this.#last;
    this.#optional = 0;
    this.#events = [];
  }

  #id(number: number): string {
    return `${this.#options.name}-${number}`;
  }
}
