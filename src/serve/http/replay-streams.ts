import { LiveMap } from '../../model/live-map.js';
import type { ByteShare } from '../../wire/byte-budget.js';
import type { EventStream } from './event-stream.js';
import { ReplayStream } from './replay-stream.js';

export interface ReplayStreamsOptions {
  readonly share: ByteShare;
  readonly resumeMs: number;
  /** Whether the revision of the session has events without a message. */
  readonly isPrimed: () => boolean;
}

/** Streams of one session that a client can come back to. Ids of events are unique in the session. */
export class ReplayStreams {
  readonly #options: ReplayStreamsOptions;
  readonly #streams = new LiveMap<string, ReplayStream>();
  #general: ReplayStream | undefined;
  #count = 0;

  constructor(options: ReplayStreamsOptions) {
    this.#options = options;
  }

  /** The stream for messages that belong to no request. Undefined until the client has opened it. */
  get general(): ReplayStream | undefined {
    return this.#general?.isClosed === true ? undefined : this.#general;
  }

  /** A stream for the messages of one request. `onAbandoned`: called if its client does not come back. */
  open(onAbandoned: () => void): ReplayStream {
    return this.#open('request', onAbandoned);
  }

  /**
   * Connects a client to the stream after the event that it has seen. Without one, or if it belongs to the stream without a
   * request, it is connected to that. Undefined: the stream is over, or not all that came after the event is kept.
   */
  connect(openConnection: () => EventStream, lastEventId: string | undefined): EventStream | undefined {
    const [, name = '', number = ''] = /^((?:request|general)\d+)-(\d{1,12})$/.exec(lastEventId ?? '') ?? [];
    const known = this.#streams.get(name);
    if (known?.has(Number(number)) === true) {
      const connection = openConnection();
      known.resume(connection, Number(number));
      return connection;
    }
    if (lastEventId !== undefined && !name.startsWith('general')) return undefined;
    this.#general = this.general ?? this.#open('general', () => {});
    const connection = openConnection();
    this.#general.connect(connection);
    return connection;
  }

  close(): void {
    for (const it of this.#streams.values()) it.close();
    this.#options.share.close();
  }

  #open(kind: 'request' | 'general', onAbandoned: () => void): ReplayStream {
    const { share, resumeMs, isPrimed } = this.#options;
    this.#count++;
    const name = `${kind}${this.#count}`;
    const stream = new ReplayStream({
      ...{ name, share, resumeMs, isPrimed: isPrimed() },
      onClosed: () => this.#streams.delete(name),
      onAbandoned,
    });
    this.#streams.set(name, stream);
    return stream;
  }
}
