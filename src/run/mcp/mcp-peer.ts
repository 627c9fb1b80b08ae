import type { CancelSignal } from '../../model/cancel-signal.js';
import { HostError } from '../../model/host-error.js';
import { isObject, type Json, type JsonObject } from '../../model/json.js';
import type { Progress } from '../run.js';
import type { Deadline, UpstreamEnd } from '../upstream/upstream.js';
import { FloodGuard } from './flood-guard.js';
import { type IncomingMessage, readMessages, ServerRpcError } from './message.js';
import type { Receiver, SendOptions, Transport } from './transport.js';

/** A request to the server. */
export interface McpRequest extends Deadline, Partial<Omit<SendOptions, 'signal'>> {
  readonly method: string;
  readonly params: JsonObject;
  /** For messages. */
  readonly name: string;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** Called with the id before the request is sent. */
  readonly onSent?: (id: number) => void;
}

export interface PeerHandlers {
  /** Answers a request of the server. May throw an ServerRpcError. */
  readonly onRequest: (method: string, params: JsonObject) => Promise<JsonObject>;
  readonly onNotification: (method: string, params: JsonObject) => void;
  readonly onLog: (line: string) => void;
  readonly onEnd: (end: UpstreamEnd) => void;
}

interface Pending {
  readonly request: McpRequest;
  readonly resolve: (result: JsonObject) => void;
  readonly reject: (error: unknown) => void;
  progress: number;
}

const defaultLimit = 8 * 1024 * 1024;
/** Invalid messages before the connection is closed. Some servers print a greeting to stdout. */
const maxInvalid = 100;
const maxServerRequests = 32;

/** The client side of a JSON-RPC connection, independent of the transport. */
export class McpPeer implements Receiver {
  readonly #handlers: PeerHandlers;
  readonly #pending = new Map<number, Pending>();
  readonly #flood = new FloodGuard();
  #transport: Transport | undefined;
  #lifetime = new AbortController();
  #meta: JsonObject | undefined;
  #lastId = 0;
  #invalid = 0;
  #serverRequests = 0;
  #ended: HostError | undefined;

  constructor(handlers: PeerHandlers) {
    this.#handlers = handlers;
  }

  /** Replaces the transport. Requests on the previous one have already failed. */
  setTransport(transport: Transport): void {
    this.#transport = transport;
    this.#ended = undefined;
    this.#lifetime = new AbortController();
    this.#invalid = 0;
  }

  /** Adds this `_meta` to every request from now on. */
  setRequestMeta(meta: JsonObject | undefined): void {
    this.#meta = meta;
  }

  async request(request: McpRequest): Promise<JsonObject> {
    const { signal, timeoutMs, name } = request;
    if (this.#ended !== undefined) throw this.#ended;
    if (signal.aborted) throw canceled();
    const id = ++this.#lastId;
    request.onSent?.(id);
    const stop = new AbortController();
    const answer = new Promise<JsonObject>((resolve, reject) => {
      this.#pending.set(id, { request, resolve, reject, progress: Number.NEGATIVE_INFINITY });
    });
    const giveUp = (error: HostError, reason: string) => {
      const pending = this.#take(id);
      if (pending === undefined) return;
      pending.reject(error);
      this.#notifyCancelled(id, reason);
      stop.abort();
    };
    const timer = setTimeout(() => giveUp(timedOut(name, timeoutMs), 'timeout'), timeoutMs);
    const onAbort = () => giveUp(canceled(), 'the caller canceled it');
    signal.addEventListener('abort', onAbort, { once: true });
    this.#send(id, request, stop.signal);
    try {
      return await answer;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      // Closes a response stream that is still open after its response.
      stop.abort();
    }
  }

  /** Sends a notification. */
  notify(method: string, params: JsonObject): void {
    this.#post({ jsonrpc: '2.0', method, params: this.#withMeta(params, {}) });
  }

  receive(text: string): void {
    const messages = readMessages(text);
    if (messages === undefined) {
      this.#receiveInvalid(text);
      return;
    }
    for (const message of messages) {
      const isAnswer =
        (message.kind === 'result' || message.kind === 'error') && this.#pending.has(message.id as number);
      if (isAnswer) this.#invalid = 0;
      else if (!this.#flood.admits(text.length)) {
        this.#disconnect('sent too many unrequested messages');
        return;
      }
      this.#receive(message, text.length);
    }
  }

  ended(end: UpstreamEnd, error: HostError): void {
    if (this.#ended !== undefined) return;
    this.#ended = error;
    this.#lifetime.abort();
    for (const id of [...this.#pending.keys()]) this.#take(id)?.reject(error);
    this.#handlers.onEnd(end);
  }

  #take(id: number): Pending | undefined {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    return pending;
  }

  #send(id: number, request: McpRequest, signal: CancelSignal): void {
    const { method, params, onProgress, limit = defaultLimit, subject, schema, onNetworkDenied } = request;
    const extra = onProgress === undefined ? {} : { progressToken: id };
    const message = { jsonrpc: '2.0', id, method, params: this.#withMeta(params, extra) };
    const options = { signal, limit, subject, schema, arguments: request.arguments, onNetworkDenied };
    const transport = this.#transport;
    if (transport === undefined) throw new Error('the transport is not set');
    transport.send(message, options).then(
      (status) => {
        if (status === 'done') this.#take(id)?.reject(unanswered(request.name));
      },
      (error) => this.#take(id)?.reject(error),
    );
  }

  #withMeta(params: JsonObject, extra: JsonObject): JsonObject {
    const own = isObject(params._meta) ? params._meta : {};
    const meta = { ...this.#meta, ...own, ...extra };
    return Object.keys(meta).length === 0 ? params : { ...params, _meta: meta };
  }

  #post(message: JsonObject): void {
    const options = { signal: this.#lifetime.signal, limit: defaultLimit };
    this.#transport?.send(message, options).catch((error: unknown) => {
      if (this.#ended === undefined)
        this.#handlers.onLog(
          `a message could not be delivered: ${error instanceof Error ? error.message : 'unknown reason'}`,
        );
    });
  }

  #notifyCancelled(id: number, reason: string): void {
    if (this.#transport?.closingCancels === true || this.#ended !== undefined) return;
    this.notify('notifications/cancelled', { requestId: id, reason });
  }

  #receive(message: IncomingMessage, size: number): void {
    switch (message.kind) {
      case 'request':
        void this.#answer(message.id, message.method, message.params);
        break;
      case 'notification':
        if (message.method === 'notifications/progress') this.#progress(message.params);
        else this.#handlers.onNotification(message.method, message.params);
        break;
      case 'error':
        // An error without an id belongs to no request.
        if (message.id === null) this.#handlers.onLog(`it sent an error: ${message.error.message}`);
        else this.#take(message.id as number)?.reject(message.error);
        break;
      case 'result': {
        const pending = this.#take(message.id as number);
        const limit = pending?.request.limit ?? defaultLimit;
        if (size > limit) pending?.reject(tooLarge(pending.request.name, limit));
        else pending?.resolve(message.result);
      }
    }
  }

  async #answer(id: string | number, method: string, params: JsonObject): Promise<void> {
    if (this.#serverRequests >= maxServerRequests) {
      const error = { code: -32603, message: `${maxServerRequests} requests are already open` };
      this.#post({ jsonrpc: '2.0', id, error });
      return;
    }
    this.#serverRequests++;
    try {
      this.#post({ jsonrpc: '2.0', id, result: await this.#handlers.onRequest(method, params) });
    } catch (error) {
      const known =
        error instanceof ServerRpcError ? error : new ServerRpcError(-32603, 'the client cannot answer');
      this.#post({ jsonrpc: '2.0', id, error: { code: known.code, message: known.message } });
    } finally {
      this.#serverRequests--;
    }
  }

  /** Ignores progress that does not increase, and progress of requests that did not ask for it. */
  #progress({ progressToken, progress, total, message }: JsonObject): void {
    const pending = this.#pending.get(progressToken as number);
    if (pending?.request.onProgress === undefined || typeof progress !== 'number') return;
    if (progress <= pending.progress) return;
    pending.progress = progress;
    pending.request.onProgress({
      progress,
      ...(typeof total === 'number' ? { total } : {}),
      ...(typeof message === 'string' ? { message: message.slice(0, 1000) } : {}),
    });
  }

  #receiveInvalid(text: string): void {
    this.#handlers.onLog(text.slice(0, 1000));
    this.#invalid++;
    if (this.#invalid > maxInvalid || !this.#flood.admits(text.length))
      this.#disconnect('wrote invalid messages to its standard output');
  }

  #disconnect(what: string): void {
    void this.#transport?.close({ kind: 'protocol-error', reason: `it ${what}` });
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
  return new HostError('upstream_failed', `the server of ${name} closed the connection without an answer`);
}

function tooLarge(name: string, limit: number): HostError {
  return new HostError(
    'output_too_large',
    `the answer of ${name} is larger than ${limit.toLocaleString('en')} bytes`,
    { hint: 'request less at once, or raise limits.output_mb in the configuration' },
  );
}

/** Whether an error is an ServerRpcError with one of the codes. */
export function hasRpcCode(error: unknown, ...codes: readonly number[]): error is ServerRpcError {
  return error instanceof ServerRpcError && codes.includes(error.code);
}

/** Converts an ServerRpcError to a HostError; returns other errors unchanged. */
export function toHostError(error: unknown, name: string): unknown {
  if (!(error instanceof ServerRpcError)) return error;
  return new HostError('upstream_failed', `${name}: its server answered with an error: ${error.message}`, {
    cause: error,
  });
}

export function optionalText(value: Json | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
