import { Stop } from '../../model/signal.js';
import type { Carrier } from '../../wire/carrier.js';
import { Flow } from '../../wire/flow.js';
import { readLines } from '../../wire/lines.js';
import type { Era2025, Session2025 } from './era-2025/session.js';
import { claims2026 } from './era-2026/envelope.js';
import type { Era2026 } from './era-2026/request.js';
import {
  failure,
  type Message,
  type Parsed,
  parseMessages,
  type Reply,
  type Request,
  type RequestId,
} from './message.js';

export interface LinesOptions {
  readonly era2025: Era2025;
  readonly era2026: Era2026;
  readonly onBug: (error: unknown) => void;
}

/** MCP over lines, both eras. Resolves when the client has gone. */
export function serveLines(carrier: Carrier, options: LinesOptions): Promise<void> {
  const flow = new Flow(carrier);
  const client = new LineClient(options, (line) => flow.send(line));
  return new Promise((resolve) => {
    readLines(carrier.input, {
      line: (text) => void flow.track(client.answer(text)).catch(options.onBug),
      end(reason) {
        if (reason === 'too-long')
          carrier.write(`${failure(null, -32700, 'the message is too long').text}\n`);
        client.close();
        carrier.close();
        resolve();
      },
    });
  });
}

/**
 * One connection. Its first request tells the era, and it stays with that; asking what the server speaks
 * (`server/discover`) leaves it open, so that a client which finds nothing for it can still shake hands.
 */
class LineClient {
  readonly #era2026: Era2026;
  readonly #old: Session2025;
  readonly #running = new Map<RequestId, Stop>();
  readonly #write: (line: string) => void;
  readonly #left = new Stop();
  #era: '2025' | '2026' | undefined;
  #gone = false;

  constructor({ era2025, era2026 }: LinesOptions, write: (line: string) => void) {
    this.#era2026 = era2026;
    this.#write = (line) => {
      if (!this.#gone) write(line);
    };
    this.#old = era2025.open({ send: (message) => this.#write(`${JSON.stringify(message)}\n`) });
  }

  async answer(text: string): Promise<string | undefined> {
    const { batch, messages } = parseMessages(text, this.#era !== '2026' && this.#old.batches);
    const replies = await Promise.all(messages.map((it) => this.#reply(it)));
    const sent = replies.flatMap((it) => (it === undefined ? [] : [it.text]));
    if (sent.length === 0) return undefined;
    return batch ? `[${sent.join(',')}]\n` : `${sent[0]}\n`;
  }

  close(): void {
    this.#gone = true;
    this.#left.abort();
    this.#old.close();
    for (const stop of this.#running.values()) stop.abort();
  }

  #reply(parsed: Parsed): Promise<Reply | undefined> {
    if ('error' in parsed) return Promise.resolve(parsed.error);
    const { message } = parsed;
    if (this.#era === undefined) this.#era = eraOf(message);
    const isNew = message.kind !== 'response' && claims2026(message.params);
    return this.#era === '2026' || (this.#era === undefined && isNew)
      ? this.#receive2026(message)
      : this.#old.receive(message);
  }

  async #receive2026(message: Message): Promise<Reply | undefined> {
    if (message.kind === 'request') return this.#request2026(message);
    if (message.kind === 'notification' && message.method === 'notifications/cancelled') {
      const { requestId } = message.params;
      if (typeof requestId === 'string' || typeof requestId === 'number')
        this.#running.get(requestId)?.abort();
    }
    return undefined;
  }

  async #request2026(request: Request): Promise<Reply | undefined> {
    const { id } = request;
    if (this.#running.has(id)) return failure(id, -32600, 'a request with this id is under way');
    const stop = new Stop();
    this.#running.set(id, stop);
    try {
      return await this.#era2026.request(request, {
        signal: stop,
        gone: this.#left,
        onNotification: (it) => {
          if (!stop.aborted) this.#write(`${JSON.stringify(it)}\n`);
        },
      });
    } finally {
      this.#running.delete(id);
    }
  }
}

function eraOf(message: Message): '2025' | '2026' | undefined {
  if (message.kind !== 'request') return undefined;
  if (!claims2026(message.params)) return '2025';
  return message.method === 'server/discover' ? undefined : '2026';
}
