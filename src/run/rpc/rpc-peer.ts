import { Cancellation } from '../../model/cancel-signal.js';
import { callCanceled, type HostError } from '../../model/host-error.js';
import type { Json, JsonObject } from '../../model/json.js';
import type { JsonExcess } from '../../model/json-bounds.js';
import { LiveMap } from '../../model/live-map.js';
import { internalError } from '../../wire/rpc-code.js';
import { answerError, inexactAnswer } from './answer-error.js';
import type { Dialect, IncomingMessage, ProgressNotice } from './dialect.js';
import { FloodGuard } from './flood-guard.js';
import { answeredId } from './message-text.js';
import type { PeerChannel, PeerRequest, SentRequest } from './peer-channel.js';
import type { PeerHandlers } from './peer-handlers.js';
import { RpcFailure } from './rpc-failure.js';

interface Pending<R, V> {
  readonly request: R;
  readonly resolve: (value: V) => void;
  readonly reject: (error: Error) => void;
  progress: number;
}

const maxLogLength = 2000;
/** Enough to find the id of a message. */
const headLength = 200;
/** A longer id is not sent back. */
const maxIdLength = 200;
const minMessageBytes = 1024 * 1024;

/**
 * The host's side of a JSON-RPC connection, independent of transport and protocol. Many requests may be pending at the
 * same time; each is settled by its own answer, timeout or cancellation. An id is used only once, so a late or repeated
 * answer has no effect.
 */
export class RpcPeer<R extends PeerRequest, V extends Json> {
  readonly #dialect: Dialect<V>;
  readonly #handlers: PeerHandlers;
  readonly #flood: FloodGuard;
  readonly #pending = new LiveMap<number, Pending<R, V>>();
  #channel: PeerChannel<R> | undefined;
  #lastId = 0;
  #invalidTexts = 0;
  #incomingRequests = 0;
  #end: HostError | undefined;

  constructor(dialect: Dialect<V>, handlers: PeerHandlers, now?: () => number) {
    this.#dialect = dialect;
    this.#handlers = handlers;
    this.#flood = new FloodGuard(dialect.limits.flood, now);
  }

  /** Starts to use a channel. It may replace one that ended; requests on that one have already failed. */
  connect(channel: PeerChannel<R>): void {
    this.#channel = channel;
    this.#end = undefined;
    this.#invalidTexts = 0;
  }

  /** Number of pending requests. */
  get pending(): number {
    return this.#pending.size;
  }

  /** Maximum size of the next message in bytes: what the pending requests allow. */
  get maxMessageBytes(): number {
    let most = minMessageBytes;
    for (const { request } of this.#pending.values()) most = Math.max(most, this.#limitOf(request));
    return most + this.#dialect.limits.envelopeBytes;
  }

  /** Rejects with an RpcFailure if the other side answers with an error, else with a HostError. */
  async request(request: R): Promise<V> {
    const { signal, timeoutMs, name } = request;
    const { pendingRequests } = this.#dialect.limits;
    const channel = this.#channel;
    if (channel === undefined) throw new Error('the channel is not set');
    if (this.#end !== undefined) throw this.#end;
    if (signal.aborted) throw callCanceled();
    if (this.#pending.size >= pendingRequests) throw answerError.tooManyPending(name, pendingRequests);
    const id = ++this.#lastId;
    const stop = new Cancellation();
    const answer = new Promise<V>((resolve, reject) => {
      this.#pending.set(id, { request, resolve, reject, progress: Number.NEGATIVE_INFINITY });
    });
    const giveUp = (error: HostError, reason: string) => {
      if (!this.fail(id, error)) return;
      this.#sendCancellation(id, reason);
      stop.abort();
    };
    const timer = setTimeout(() => giveUp(answerError.timedOut(name, timeoutMs), 'timeout'), timeoutMs);
    const onAbort = () => giveUp(callCanceled(), 'the caller canceled it');
    signal.addEventListener('abort', onAbort, { once: true });
    request.onSent?.(id);
    this.#send(channel, { id, request, signal: stop });
    try {
      return await answer;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      // Closes a response stream that is still open after its response.
      stop.abort();
    }
  }

  notify(method: string, params: JsonObject): void {
    this.#post({ jsonrpc: '2.0', method, params: this.#params(params) });
  }

  /** Handles a text of the other side: a message, or several if the protocol has batches. */
  receive(text: string, bytes: number): void {
    if (this.#end !== undefined) return;
    const messages = this.#dialect.read(text);
    if (messages === undefined) {
      this.#receiveInvalid(text, bytes);
      return;
    }
    if ('limit' in messages) {
      this.receiveExcess(messages, text.slice(0, headLength), bytes);
      return;
    }
    for (const message of messages) {
      if (this.#isAnswer(message)) this.#invalidTexts = 0;
      else if (!this.unrequested(bytes, null)) return;
      this.#receive(message, text, bytes);
    }
  }

  /** Handles a text that exceeds a limit of JSON, and was not parsed. `head`: its beginning, which may contain the id. */
  receiveExcess(excess: JsonExcess, head: string, bytes: number): void {
    if (this.#end !== undefined) return;
    const id = this.#answeredIn(head);
    const pending = id === undefined ? undefined : this.#pending.get(id);
    if (id === undefined || pending === undefined) this.#receiveInvalid(head, bytes);
    else this.fail(id, answerError.tooComplex(pending.request.name, excess));
  }

  /** Counts data that is not an answer, and logs the line. False if it was too much. */
  unrequested(bytes: number, line: string | null): boolean {
    if (this.#end !== undefined) return false;
    if (!this.#flood.admits(bytes)) {
      this.#handlers.onFlood('unrequested');
      return false;
    }
    if (line !== null) this.#handlers.onLog(line.slice(0, maxLogLength));
    return true;
  }

  /** Fails the request of an answer that was too long to be read. `head`: its beginning, which may contain the id. */
  failTooLong(head: string): void {
    const id = this.#answeredIn(head);
    const pending = id === undefined ? undefined : this.#pending.get(id);
    if (id !== undefined && pending !== undefined) this.fail(id, this.#tooLarge(pending.request));
  }

  /** The request that a text answers, by its beginning. Without an id there, it is the only pending one. */
  #answeredIn(head: string): number | undefined {
    const id = answeredId(head);
    if (id !== 'unknown') return id;
    const [only] = this.#pending.size === 1 ? this.#pending.keys() : [];
    return only;
  }

  /** Fails one request. False if it is already settled. */
  fail(id: number, error: Error): boolean {
    const pending = this.#take(id);
    pending?.reject(error);
    return pending !== undefined;
  }

  /** Fails every pending and every later request with the same error. False if the connection has already ended. */
  end(error: HostError): boolean {
    if (this.#end !== undefined) return false;
    this.#end = error;
    for (const id of [...this.#pending.keys()]) this.fail(id, error);
    return true;
  }

  #take(id: string | number): Pending<R, V> | undefined {
    const pending = this.#pending.get(id as number); // Ids of the host are numbers: a text never matches.
    this.#pending.delete(id as number);
    return pending;
  }

  #limitOf({ limit = this.#dialect.limits.answerBytes }: R): number {
    return limit;
  }

  #tooLarge(request: R): HostError {
    return answerError.tooLarge(request.name, this.#limitOf(request));
  }

  #params(params: JsonObject, progressToken?: number): JsonObject {
    return this.#dialect.params?.(params, progressToken) ?? params;
  }

  #send(channel: PeerChannel<R>, sent: SentRequest<R>): void {
    const { id, request } = sent;
    const { method, onProgress } = request;
    const params = this.#params(request.params, onProgress === undefined ? undefined : id);
    channel.send({ jsonrpc: '2.0', id, method, params }, sent).then(
      (status) => {
        if (status === 'done') this.fail(id, answerError.unanswered(request.name));
      },
      (error) => this.fail(id, error),
    );
  }

  #post(message: JsonObject): void {
    this.#channel?.send(message, null).catch((error: unknown) => {
      const reason = error instanceof Error ? error.message : 'unknown reason';
      if (this.#end === undefined) this.#handlers.onLog(`a message could not be delivered: ${reason}`);
    });
  }

  #sendCancellation(id: number, reason: string): void {
    if (this.#channel?.closingCancels === true || this.#end !== undefined) return;
    const message = this.#dialect.cancellation?.(id, reason);
    if (message !== undefined) this.notify(message.method, message.params);
  }

  #isAnswer(message: IncomingMessage<V>): boolean {
    if (message.kind === 'request' || message.kind === 'notification') return false;
    return this.#pending.has(message.id as number);
  }

  #receive(message: IncomingMessage<V>, text: string, bytes: number): void {
    switch (message.kind) {
      case 'request':
        void this.#answer(message.id, message.method, message.params);
        break;
      case 'notification': {
        const notice = this.#dialect.progress?.(message.method, message.params);
        if (notice === undefined) this.#handlers.onNotification(message.method, message.params);
        else this.#progress(notice);
        break;
      }
      default:
        this.#settle(message, text, bytes);
    }
  }

  #settle(
    message: Extract<IncomingMessage<V>, { kind: 'result' | 'failure' | 'empty' }>,
    text: string,
    bytes: number,
  ): void {
    if (message.kind === 'failure' && message.id === null) {
      this.#handlers.onLog(`it sent an error: ${message.failure.message}`.slice(0, maxLogLength));
      return;
    }
    const id = message.id as string | number;
    const pending = this.#take(id);
    if (pending === undefined) {
      this.#handlers.onStrayAnswer?.(id, typeof id === 'number' && id > 0 && id <= this.#lastId);
    } else if (message.kind === 'failure') {
      pending.reject(message.failure);
    } else if (message.kind === 'empty') {
      pending.reject(answerError.empty(pending.request.name));
    } else if (bytes > this.#limitOf(pending.request) + this.#dialect.limits.envelopeBytes) {
      pending.reject(this.#tooLarge(pending.request));
    } else {
      const inexact = inexactAnswer(pending.request, text);
      inexact === undefined ? pending.resolve(message.value) : pending.reject(inexact);
    }
  }

  async #answer(id: string | number | null, method: string, params: JsonObject): Promise<void> {
    const { incomingRequests } = this.#dialect.limits;
    const reply = (outcome: JsonObject) => {
      if (id !== null && String(id).length <= maxIdLength) this.#post({ jsonrpc: '2.0', id, ...outcome });
    };
    if (this.#incomingRequests >= incomingRequests) {
      const message = `${incomingRequests} requests are already open`;
      reply({ error: { code: internalError, message } });
      return;
    }
    this.#incomingRequests++;
    try {
      reply({ result: await this.#handlers.onRequest(method, params) });
    } catch (error) {
      const known =
        error instanceof RpcFailure ? error : new RpcFailure(internalError, 'the host cannot answer');
      reply({ error: { code: known.code, message: known.message } });
    } finally {
      this.#incomingRequests--;
    }
  }

  /** Ignores progress that does not increase, and progress of requests that did not ask for it. */
  #progress({ token, progress }: ProgressNotice): void {
    const pending = this.#pending.get(token as number);
    if (pending?.request.onProgress === undefined || progress.progress <= pending.progress) return;
    pending.progress = progress.progress;
    pending.request.onProgress(progress);
  }

  #receiveInvalid(text: string, bytes: number): void {
    if (!this.unrequested(bytes, text.trim())) return;
    this.#invalidTexts++;
    if (this.#invalidTexts > this.#dialect.limits.invalidTexts) this.#handlers.onFlood('invalid');
  }
}
