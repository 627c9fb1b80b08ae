import type { ServerResponse } from 'node:http';
import type { ChangeTopic } from '../../../host/host.js';
import type { CancelSignal } from '../../../model/cancel-signal.js';
import { EventStream } from '../event-stream.js';
import { HttpError } from '../http-error.js';
import type { ChangeFeed } from './change-feed.js';

/** One event of the stream. */
export interface ConsoleEvent {
  /** Where to go on after a lost connection. */
  readonly position: string;
  /** What to read again. Null: everything. */
  readonly topics: readonly ChangeTopic[] | null;
  /** Of the host. */
  readonly version: string;
  /** Another event comes within this time, also if nothing changes: a page notices a connection that died silently. */
  readonly nextWithinMs: number;
}

export interface EventFeedOptions {
  readonly version: string;
  readonly pingMs: number;
  readonly readMs: number;
  /** Called with the number of open pages. */
  readonly onPages: (count: number) => void;
}

const maxPages = 64;

/** The streams of all open pages. */
export class EventFeed {
  readonly #feed: ChangeFeed;
  readonly #options: EventFeedOptions;
  readonly #streams = new Set<EventStream>();

  constructor(feed: ChangeFeed, options: EventFeedOptions) {
    this.#feed = feed;
    this.#options = options;
  }

  /** Sends changes until the page goes away, its visit ends or the server stops. */
  async serve(
    response: ServerResponse,
    after: string | null,
    until: { readonly signal: CancelSignal; readonly lifetimeMs: number },
  ): Promise<void> {
    if (this.#streams.size >= maxPages)
      throw new HttpError(429, 'rate_limited', 'too many pages of the console are open');
    const { version, onPages, pingMs } = this.#options;
    const stream = new EventStream(response, this.#options);
    this.#streams.add(stream);
    onPages(this.#streams.size);
    let position = after ?? this.#feed.position;
    const send = (isDue: boolean) => {
      const topics = this.#feed.since(position);
      position = this.#feed.position;
      const event: ConsoleEvent = { position, topics, version, nextWithinMs: pingMs };
      if (isDue || topics === null || topics.length > 0) stream.send(JSON.stringify(event));
    };
    const stop = this.#feed.follow(() => send(false));
    send(true);
    const beat = setInterval(() => send(true), pingMs);
    const timer = setTimeout(() => stream.end(), until.lifetimeMs);
    until.signal.addEventListener('abort', () => stream.end(), { once: true });
    await new Promise<void>((resolve) => response.once('close', resolve));
    clearTimeout(timer);
    clearInterval(beat);
    stop();
    this.#streams.delete(stream);
    onPages(this.#streams.size);
  }

  close(): void {
    for (const it of this.#streams) it.end();
    this.#feed.close();
  }
}
