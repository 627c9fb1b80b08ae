import { Cancellation } from '../../model/cancel-signal.js';
import { requestLimits } from '../../model/json-bounds.js';
import { LiveMap } from '../../model/live-map.js';
import type { ByteBudget } from '../../wire/byte-budget.js';
import { FlowControl } from '../../wire/flow-control.js';
import type { LineConnection } from '../../wire/line-connection.js';
import { readLines } from '../../wire/lines.js';
import { internalError } from '../../wire/rpc-code.js';
import type { Era2025, Session2025 } from './era-2025/session.js';
import { declares2026 } from './era-2026/envelope.js';
import type { Era2026 } from './era-2026/request.js';
import {
  excessReply,
  type ParsedMessage,
  parseMessages,
  type RequestId,
  type RpcMessage,
  type RpcReply,
  type RpcRequest,
  requestIdIn,
  rpcErrorReply,
} from './json-rpc.js';

/** What a connection does now. */
export interface LineActivity {
  /** Tool calls that were received and whose answer is not sent yet. */
  calls: number;
}

export interface LinesOptions {
  readonly era2025: Era2025;
  readonly era2026: Era2026;
  /** Shared by all connections. */
  readonly budget: ByteBudget;
  /** Whose budget the connection uses. */
  readonly principal: string;
  /** Kept current while the connection is open. */
  readonly activity: LineActivity;
  readonly onBug: (error: unknown) => void;
}

/** MCP over newline-separated messages, both eras. Resolves when the client has disconnected. */
export function serveLines(connection: LineConnection, options: LinesOptions): Promise<void> {
  const flow = new FlowControl(connection);
  const client = new LineClient(options, (line) => flow.send(line));
  const share = options.budget.open(options.principal);
  return new Promise((resolve) => {
    readLines(connection.input, {
      json: requestLimits,
      line(text, bytes) {
        if (share.take(bytes) !== undefined) {
          flow.send(`${busyReply(text).text}\n`);
          return;
        }
        const { calls, reply } = client.receive(text);
        options.activity.calls += calls;
        flow
          .track(reply, bytes)
          .catch(options.onBug)
          .finally(() => {
            options.activity.calls -= calls;
            share.give(bytes);
          });
      },
      rejected: (excess, _bytes, head) => flow.send(`${excessReply(excess, head).text}\n`),
      end(reason) {
        if (reason === 'too-long')
          connection.write(`${rpcErrorReply(null, -32700, 'the message is too long').text}\n`);
        client.close();
        connection.close();
        resolve();
      },
    });
  });
}

function busyReply(text: string): RpcReply {
  const reason =
    'the requests of this client that are in progress are too large together; send it again later';
  return rpcErrorReply(requestIdIn(text), internalError, reason);
}

/**
 * One client connection. The first request decides the era for the whole connection. `server/discover` does not decide
 * it, so that a client that finds no common revision can still use `initialize`.
 */
class LineClient {
  readonly #era2026: Era2026;
  readonly #session2025: Session2025;
  readonly #running = new LiveMap<RequestId, Cancellation>();
  readonly #write: (line: string) => void;
  readonly #disconnected = new Cancellation();
  #era: '2025' | '2026' | undefined;
  #isClosed = false;

  constructor({ era2025, era2026 }: LinesOptions, write: (line: string) => void) {
    this.#era2026 = era2026;
    this.#write = (line) => {
      if (!this.#isClosed) write(line);
    };
    this.#session2025 = era2025.open({ send: (message) => this.#write(`${JSON.stringify(message)}\n`) });
  }

  /** `calls`: how many tool calls the line contains. */
  receive(text: string): { readonly calls: number; readonly reply: Promise<string | undefined> } {
    const { batch, messages } = parseMessages(text, this.#era !== '2026' && this.#session2025.batches);
    return { calls: messages.filter(isToolCall).length, reply: this.#answer(batch, messages) };
  }

  async #answer(batch: boolean, messages: readonly ParsedMessage[]): Promise<string | undefined> {
    const replies = await Promise.all(messages.map((it) => this.#reply(it)));
    const sent = replies.flatMap((it) => (it === undefined ? [] : [it.text]));
    if (sent.length === 0) return undefined;
    return batch ? `[${sent.join(',')}]\n` : `${sent[0]}\n`;
  }

  close(): void {
    this.#isClosed = true;
    this.#disconnected.abort();
    this.#session2025.close();
    for (const stop of this.#running.values()) stop.abort();
  }

  #reply(parsed: ParsedMessage): Promise<RpcReply | undefined> {
    if ('error' in parsed) return Promise.resolve(parsed.error);
    const { message } = parsed;
    if (this.#era === undefined) this.#era = eraOf(message);
    const is2026 = message.kind !== 'response' && declares2026(message.params);
    return this.#era === '2026' || (this.#era === undefined && is2026)
      ? this.#receive2026(message)
      : this.#session2025.receive(message);
  }

  async #receive2026(message: RpcMessage): Promise<RpcReply | undefined> {
    if (message.kind === 'request') return this.#request2026(message);
    if (message.kind === 'notification' && message.method === 'notifications/cancelled') {
      const { requestId } = message.params;
      if (typeof requestId === 'string' || typeof requestId === 'number')
        this.#running.get(requestId)?.abort();
    }
    return undefined;
  }

  async #request2026(request: RpcRequest): Promise<RpcReply | undefined> {
    const { id } = request;
    if (this.#running.has(id))
      return rpcErrorReply(id, -32600, 'a request with this id is already in progress');
    const stop = new Cancellation();
    this.#running.set(id, stop);
    try {
      return await this.#era2026.request(request, {
        signal: stop,
        gone: this.#disconnected,
        onNotification: (it) => {
          if (!stop.aborted) this.#write(`${JSON.stringify(it)}\n`);
        },
      });
    } finally {
      this.#running.delete(id);
    }
  }
}

function isToolCall(parsed: ParsedMessage): boolean {
  return 'message' in parsed && parsed.message.kind === 'request' && parsed.message.method === 'tools/call';
}

function eraOf(message: RpcMessage): '2025' | '2026' | undefined {
  if (message.kind !== 'request') return undefined;
  if (!declares2026(message.params)) return '2025';
  return message.method === 'server/discover' ? undefined : '2026';
}
