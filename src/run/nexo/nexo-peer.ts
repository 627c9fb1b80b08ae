import { HostError } from '../../model/host-error.js';
import type { Json, JsonObject } from '../../model/json.js';
import type { Deadline } from '../upstream/upstream.js';
import { methodNotFoundMessage, type NexoMessage, readMessage, requestMessage } from './message.js';
import { TokenBucket } from './token-bucket.js';

export interface NexoRequest extends Deadline {
  readonly method: string;
  readonly params: JsonObject;
  /** For messages: the tool or extension. */
  readonly name: string;
  /** Maximum size of the answer in bytes. */
  readonly bytes: number;
}

export interface SentRequest {
  readonly id: number;
  readonly request: NexoRequest;
}

export interface NexoChannel {
  /** Sends a message. `sent`: the request in it; null for a response. Throws a HostError if it cannot be sent. */
  send(text: string, sent: SentRequest | null): void;
  onLog(line: string): void;
  /** Called when the extension sent too much unsolicited data. The channel should close. */
  onFlood(): void;
}

interface Pending {
  readonly request: NexoRequest;
  readonly settle: (outcome: { readonly value: Json } | Error) => void;
}

/** Maximum number of pending requests. */
const maxPending = 256;
/** Maximum size of a message without its result. */
export const envelopeBytes = 64 * 1024;
const floodBytes = 8 * 1024 * 1024;
const floodPerSecond = 64 * 1024;
const excerptLength = 200;
const minMessageBytes = 1024 * 1024;

/**
 * The host's side of a JSON-RPC connection. Many requests may be pending at the same time; each is settled by its own
 * answer, timeout or cancellation, independent of the others. An id is used only once, so a late or repeated answer has
 * no effect.
 */
export class NexoPeer {
  readonly #channel: NexoChannel;
  readonly #pending = new Map<number, Pending>();
  readonly #unsolicitedBytes: TokenBucket;
  #next = 1;
  #end: HostError | undefined;

  constructor(channel: NexoChannel, now?: () => number) {
    this.#channel = channel;
    this.#unsolicitedBytes = new TokenBucket(floodBytes, floodPerSecond, now);
  }

  get open(): number {
    return this.#pending.size;
  }

  /** Maximum size of the next message in bytes. */
  get room(): number {
    let maxBytes = minMessageBytes;
    for (const { request } of this.#pending.values()) maxBytes = Math.max(maxBytes, request.bytes);
    return maxBytes + envelopeBytes;
  }

  /** Rejects with an RpcFailure if the extension answers with an error, else with a HostError. */
  request(request: NexoRequest): Promise<Json> {
    const { name, signal, timeoutMs } = request;
    if (this.#end !== undefined) return Promise.reject(this.#end);
    if (signal.aborted) return Promise.reject(canceled());
    if (this.#pending.size >= maxPending) {
      return Promise.reject(
        new HostError('upstream_failed', `${name} already has ${maxPending} pending calls`, {
          hint: 'wait until some of them have finished',
        }),
      );
    }
    const id = this.#next++;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.drop(id, timedOut(request)), timeoutMs);
      const stop = () => this.drop(id, canceled());
      signal.addEventListener('abort', stop, { once: true });
      this.#pending.set(id, {
        request,
        settle: (outcome) => {
          this.#pending.delete(id);
          clearTimeout(timer);
          signal.removeEventListener('abort', stop);
          if (outcome instanceof Error) reject(outcome);
          else resolve(outcome.value);
        },
      });
      try {
        const text = requestMessage(id, request.method, request.params);
        this.#channel.send(text, { id, request });
      } catch (error) {
        this.drop(id, error as Error);
      }
    });
  }

  /** Handles one message of the extension. */
  receive(text: string, bytes: number): void {
    if (this.#end !== undefined) return;
    const message = readMessage(text);
    switch (message.kind) {
      case 'result':
      case 'failure':
      case 'empty':
        this.#answer(message, bytes);
        return;
      case 'request':
        if (
          this.unsolicited(
            bytes,
            `it requested ${message.method.slice(0, excerptLength)}, which the host does not support`,
          )
        )
          this.#rejectRequest(message.id, message.method);
        return;
      case 'notification':
        this.unsolicited(
          bytes,
          `it sent the notification ${message.method.slice(0, excerptLength)}, which the host does not know`,
        );
        return;
      case 'invalid':
        this.unsolicited(bytes, text.trim());
    }
  }

  /** Counts data that is not an answer; false if it was too much. */
  unsolicited(bytes: number, line: string | null): boolean {
    if (this.#end !== undefined) return false;
    if (!this.#unsolicitedBytes.take(bytes)) {
      this.#channel.onFlood();
      return false;
    }
    if (line !== null) this.#channel.onLog(line.slice(0, 10 * excerptLength));
    return true;
  }

  /** Fails the request of an answer that was too long. `head`: its beginning, which may contain the id. */
  tooLong(head: string): void {
    const idText = /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(\d{1,15})\s*[,}]/.exec(head)?.[1];
    const [only] = this.#pending.size === 1 && /^\s*\{/.test(head) ? this.#pending.keys() : [];
    const id = idText === undefined ? only : Number(idText);
    const pending = id === undefined ? undefined : this.#pending.get(id);
    if (id !== undefined && pending !== undefined) this.drop(id, tooLarge(pending.request));
  }

  /** Fails one request; no effect if it is already settled. */
  drop(id: number, error: Error): void {
    this.#pending.get(id)?.settle(error);
  }

  /** Fails every pending and every later request with the same error. */
  end(error: HostError): void {
    if (this.#end !== undefined) return;
    this.#end = error;
    for (const id of [...this.#pending.keys()]) this.drop(id, error);
  }

  #answer(message: Extract<NexoMessage, { kind: 'result' | 'failure' | 'empty' }>, bytes: number): void {
    const pending = this.#pending.get(message.id);
    if (pending === undefined) {
      const known = message.id > 0 && message.id < this.#next;
      const what = known ? 'is late or repeated' : 'matches no request';
      this.unsolicited(bytes, `the answer with id ${message.id} ${what}`);
    } else if (message.kind === 'failure') {
      pending.settle(message.failure);
    } else if (message.kind === 'empty') {
      const { name } = pending.request;
      pending.settle(new HostError('tool_bad_output', `the answer to ${name} has no result and no error`));
    } else if (bytes > pending.request.bytes + envelopeBytes) {
      pending.settle(tooLarge(pending.request));
    } else {
      pending.settle({ value: message.value });
    }
  }

  #rejectRequest(id: Json, method: string): void {
    const short = typeof id === 'number' || (typeof id === 'string' && id.length <= excerptLength);
    if (!short) return;
    try {
      this.#channel.send(methodNotFoundMessage(id, method), null);
    } catch {
      // The extension then gets no response.
    }
  }
}

function timedOut({ name, timeoutMs }: NexoRequest): HostError {
  return new HostError('timeout', `${name} did not answer within ${timeoutMs / 1000} s`, {
    hint: 'allow more time with --timeout',
  });
}

function canceled(): HostError {
  return new HostError('canceled', 'the call was canceled');
}

function tooLarge({ name, bytes }: NexoRequest): HostError {
  return new HostError(
    'output_too_large',
    `the answer of ${name} is larger than ${bytes.toLocaleString('en')} bytes`,
  );
}
