import { HostError } from '../../model/host-error.js';
import { isObject, type Json, type JsonObject } from '../../model/json.js';
import type { Signal } from '../../model/signal.js';
import type { Deadline, Progress, UpstreamEnd } from '../upstream/upstream.js';
import { Flood } from './flood.js';
import { type Incoming, RpcError, readMessages } from './message.js';
import type { Delivery, Receiver, Transport } from './transport.js';

/** A question to the server. */
export interface Question extends Deadline, Partial<Omit<Delivery, 'signal'>> {
  readonly method: string;
  readonly params: JsonObject;
  /** For messages. */
  readonly name: string;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** Told of the id before the question goes out. */
  readonly onSent?: (id: number) => void;
}

export interface PeerHandlers {
  /** What the server asks us; the result, or an RpcError that is thrown. */
  readonly onRequest: (method: string, params: JsonObject) => Promise<JsonObject>;
  readonly onNotification: (method: string, params: JsonObject) => void;
  readonly onLog: (line: string) => void;
  readonly onEnd: (end: UpstreamEnd) => void;
}

interface Pending {
  readonly question: Question;
  readonly resolve: (result: JsonObject) => void;
  readonly reject: (error: unknown) => void;
  progress: number;
}

const usualLimit = 8 * 1024 * 1024;
/** Lines that are no messages before the server is given up. Many a server greets on the wrong stream. */
const maxGarbage = 100;
const maxAsked = 32;

/** One side of a JSON-RPC conversation: questions with their answers, whatever carries them. */
export class Peer implements Receiver {
  readonly #handlers: PeerHandlers;
  readonly #pending = new Map<number, Pending>();
  readonly #flood = new Flood();
  #transport: Transport | undefined;
  #forever = new AbortController();
  #meta: JsonObject | undefined;
  #count = 0;
  #garbage = 0;
  #asked = 0;
  #ended: HostError | undefined;

  constructor(handlers: PeerHandlers) {
    this.#handlers = handlers;
  }

  /** Another way to the same server; what was under way on the one before has failed by then. */
  use(transport: Transport): void {
    this.#transport = transport;
    this.#ended = undefined;
    this.#forever = new AbortController();
    this.#garbage = 0;
  }

  /** Every request carries this from now on. */
  carry(meta: JsonObject | undefined): void {
    this.#meta = meta;
  }

  async ask(question: Question): Promise<JsonObject> {
    const { signal, timeoutMs, name } = question;
    if (this.#ended !== undefined) throw this.#ended;
    if (signal.aborted) throw canceled();
    const id = ++this.#count;
    question.onSent?.(id);
    const stop = new AbortController();
    const answer = new Promise<JsonObject>((resolve, reject) => {
      this.#pending.set(id, { question, resolve, reject, progress: Number.NEGATIVE_INFINITY });
    });
    const giveUp = (error: HostError, reason: string) => {
      const pending = this.#take(id);
      if (pending === undefined) return;
      pending.reject(error);
      this.#tellCancelled(id, reason);
      stop.abort();
    };
    const timer = setTimeout(() => giveUp(timedOut(name, timeoutMs), 'it took too long'), timeoutMs);
    const onAbort = () => giveUp(canceled(), 'the caller gave it up');
    signal.addEventListener('abort', onAbort, { once: true });
    this.#send(id, question, stop.signal);
    try {
      return await answer;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      // A stream that is still open for an answer which is there has nothing more to bring.
      stop.abort();
    }
  }

  /** Nobody waits for it. */
  notify(method: string, params: JsonObject): void {
    this.#tell({ jsonrpc: '2.0', method, params: this.#withMeta(params, {}) });
  }

  text(text: string): void {
    const messages = readMessages(text);
    if (messages === undefined) {
      this.#garbled(text);
      return;
    }
    for (const message of messages) {
      const isAnswer =
        (message.kind === 'result' || message.kind === 'error') && this.#pending.has(message.id as number);
      if (isAnswer) this.#garbage = 0;
      else if (!this.#flood.admits(text.length)) {
        this.#giveUp('said far more than it was asked');
        return;
      }
      this.#receive(message, text.length);
    }
  }

  ended(end: UpstreamEnd, error: HostError): void {
    if (this.#ended !== undefined) return;
    this.#ended = error;
    this.#forever.abort();
    for (const id of [...this.#pending.keys()]) this.#take(id)?.reject(error);
    this.#handlers.onEnd(end);
  }

  #take(id: number): Pending | undefined {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    return pending;
  }

  #send(id: number, question: Question, signal: Signal): void {
    const { method, params, onProgress, limit = usualLimit, about, schema, onRefused } = question;
    const more = onProgress === undefined ? {} : { progressToken: id };
    const message = { jsonrpc: '2.0', id, method, params: this.#withMeta(params, more) };
    const delivery = { signal, limit, about, schema, arguments: question.arguments, onRefused };
    const transport = this.#transport;
    if (transport === undefined) throw new Error('there is no way to the server yet');
    transport.send(message, delivery).then(
      (how) => {
        if (how === 'over') this.#take(id)?.reject(unanswered(question.name));
      },
      (error) => this.#take(id)?.reject(error),
    );
  }

  #withMeta(params: JsonObject, more: JsonObject): JsonObject {
    const own = isObject(params._meta) ? params._meta : {};
    const meta = { ...this.#meta, ...own, ...more };
    return Object.keys(meta).length === 0 ? params : { ...params, _meta: meta };
  }

  #tell(message: JsonObject): void {
    const delivery = { signal: this.#forever.signal, limit: usualLimit };
    this.#transport?.send(message, delivery).catch((error: unknown) => {
      if (this.#ended === undefined)
        this.#handlers.onLog(
          `a message did not arrive: ${error instanceof Error ? error.message : 'unknown reason'}`,
        );
    });
  }

  #tellCancelled(id: number, reason: string): void {
    if (this.#transport?.closingCancels === true || this.#ended !== undefined) return;
    this.notify('notifications/cancelled', { requestId: id, reason });
  }

  #receive(message: Incoming, size: number): void {
    switch (message.kind) {
      case 'request':
        void this.#answer(message.id, message.method, message.params);
        break;
      case 'notification':
        if (message.method === 'notifications/progress') this.#progress(message.params);
        else this.#handlers.onNotification(message.method, message.params);
        break;
      case 'error':
        // One without an id is about nothing that could be found again.
        if (message.id === null) this.#handlers.onLog(`it complained: ${message.error.message}`);
        else this.#take(message.id as number)?.reject(message.error);
        break;
      case 'result': {
        const pending = this.#take(message.id as number);
        const limit = pending?.question.limit ?? usualLimit;
        if (size > limit) pending?.reject(tooLarge(pending.question.name, limit));
        else pending?.resolve(message.result);
      }
    }
  }

  async #answer(id: string | number, method: string, params: JsonObject): Promise<void> {
    if (this.#asked >= maxAsked) {
      const error = { code: -32603, message: `${maxAsked} questions are open already` };
      this.#tell({ jsonrpc: '2.0', id, error });
      return;
    }
    this.#asked++;
    try {
      this.#tell({ jsonrpc: '2.0', id, result: await this.#handlers.onRequest(method, params) });
    } catch (error) {
      const known = error instanceof RpcError ? error : new RpcError(-32603, 'the client could not answer');
      this.#tell({ jsonrpc: '2.0', id, error: { code: known.code, message: known.message } });
    } finally {
      this.#asked--;
    }
  }

  /** Only what goes forward is progress, and only for who asked for it. */
  #progress({ progressToken, progress, total, message }: JsonObject): void {
    const pending = this.#pending.get(progressToken as number);
    if (pending?.question.onProgress === undefined || typeof progress !== 'number') return;
    if (progress <= pending.progress) return;
    pending.progress = progress;
    pending.question.onProgress({
      progress,
      ...(typeof total === 'number' ? { total } : {}),
      ...(typeof message === 'string' ? { message: message.slice(0, 1000) } : {}),
    });
  }

  #garbled(text: string): void {
    this.#handlers.onLog(text.slice(0, 1000));
    this.#garbage++;
    if (this.#garbage > maxGarbage || !this.#flood.admits(text.length))
      this.#giveUp('wrote things that are no messages where its messages belong');
  }

  #giveUp(what: string): void {
    void this.#transport?.close({ kind: 'garbled', reason: `it ${what}` });
  }
}

function canceled(): HostError {
  return new HostError('canceled', 'the call was canceled');
}

function timedOut(name: string, timeoutMs: number): HostError {
  return new HostError('timeout', `${name} did not answer within ${timeoutMs / 1000} s`, {
    hint: 'give it more time with --timeout',
  });
}

function unanswered(name: string): HostError {
  return new HostError('upstream_failed', `the server of ${name} ended the exchange without an answer`);
}

function tooLarge(name: string, limit: number): HostError {
  return new HostError(
    'output_too_large',
    `the answer of ${name} is larger than ${limit.toLocaleString('en')} bytes`,
    { hint: 'ask for less at once, or raise limits.output_mb in the configuration' },
  );
}

/** Whether a value is the code of an error that an answer had. */
export function hasCode(error: unknown, ...codes: readonly number[]): error is RpcError {
  return error instanceof RpcError && codes.includes(error.code);
}

/** Anything that went wrong with a question, as a failure of the host. */
export function asFailure(error: unknown, name: string): unknown {
  if (!(error instanceof RpcError)) return error;
  return new HostError('upstream_failed', `${name}: its server answered with an error: ${error.message}`, {
    cause: error,
  });
}

export function textOf(value: Json | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
