import type { IncomingMessage } from 'node:http';
import { HostError } from '../../model/host-error.js';
import { isObject, type JsonObject } from '../../model/json.js';
import { answerLimits, tryParseBounded } from '../../model/json-bounds.js';
import { errorTable } from '../errors.js';
import { headerMismatch } from '../http/mcp-headers.js';
import { type RequestId, requestIdIn, rpcErrorReply } from '../mcp/json-rpc.js';
import type { BridgeEndpoint } from './bridge-endpoint.js';
import { ConnectionFailure, connectionLost, rejectedBy } from './bridge-failure.js';
import { isEventStream, isSuccess, messagesIn, newPosition, rejectionIn } from './bridge-response.js';
import { type BridgeSession, noSession, sessionHeaders } from './bridge-session.js';
import { type ClientLine, idOfAnswer, readClientLine } from './client-line.js';
import { pause, reconnectDelay, reconnectDelaysMs } from './reconnect-delay.js';
import { ServerLink } from './server-link.js';
import { acknowledges, changesFor } from './subscription.js';

export interface BridgeOptions {
  readonly endpoint: BridgeEndpoint;
  /** Writes one line to the client. Resolves when it can take the next one. */
  readonly write: (line: string) => Promise<void>;
  /** Tells a person something, on standard error. */
  readonly note: (text: string) => void;
}

/** A request that the server did not answer yet. */
interface OpenRequest {
  readonly line: ClientLine;
  readonly stop: AbortController;
}

/** Later messages wait for notifications, so a server that does not accept one must not stop everything. */
const notifyMs = 30_000;

/** Passes the messages of one stdio client to an MCP server over HTTP and back, in both eras of MCP. */
export class McpBridge {
  readonly #options: BridgeOptions;
  readonly #endpoint: BridgeEndpoint;
  readonly #open = new Map<RequestId, OpenRequest>();
  readonly #closing = new AbortController();
  readonly #link: ServerLink;
  /** Ends when everything that later messages depend on has reached the server. */
  #gate: Promise<void> = Promise.resolve();
  #wasReached = false;
  #reportFailure: (error: HostError) => void = () => {};
  /** Resolves if the host cannot be used at all: it never answered, or not with MCP. */
  readonly failed = new Promise<HostError>((resolve) => {
    this.#reportFailure = resolve;
  });

  constructor(options: BridgeOptions) {
    this.#options = options;
    this.#endpoint = options.endpoint;
    this.#link = new ServerLink({ ...options, closing: this.#closing.signal });
  }

  /** Takes one line of the client. */
  receive(text: string): void {
    const line = readClientLine(text);
    if (line === undefined) {
      this.#say(rpcErrorReply(requestIdIn(text), -32700, 'the message is not valid JSON').text);
      return;
    }
    const { method, params } = line;
    if (method === 'notifications/cancelled') {
      this.#cancel(line, params.requestId);
      return;
    }
    if (line.ids.length === 0) {
      this.#gate = this.#gate.then(() => this.#notify(line));
      return;
    }
    const stop = new AbortController();
    for (const id of line.ids) this.#open.set(id, { line, stop });
    const answered = this.#gate.then(() => this.#answer(line, stop.signal));
    if (method === 'initialize') this.#gate = answered;
  }

  /** The client has disconnected. Ends its session. */
  async close(): Promise<void> {
    this.#closing.abort();
    for (const { stop } of this.#open.values()) stop.abort();
    this.#open.clear();
    await this.#link.close();
  }

  #say(text: string): void {
    void this.#options.write(text);
  }

  /** In the 2026 era closing the request cancels it. Earlier servers need the notification. */
  #cancel(line: ClientLine, id: unknown): void {
    const open = typeof id === 'string' || typeof id === 'number' ? this.#open.get(id) : undefined;
    if (open !== undefined) this.#open.delete(id as RequestId);
    const isAlone = open?.line.ids.every((it) => !this.#open.has(it)) === true;
    if (open?.line.is2026 === true) open.stop.abort();
    if (line.is2026 || open?.line.is2026 === true) return;
    this.#gate = this.#gate.then(() => this.#notify(line));
    if (isAlone) void this.#gate.then(() => open?.stop.abort());
  }

  /** Sends notifications and responses. Nobody waits for an answer. */
  async #notify(line: ClientLine): Promise<void> {
    const signal = AbortSignal.any([this.#closing.signal, AbortSignal.timeout(notifyMs)]);
    try {
      const response = await this.#link.post(line, signal);
      if (!isSuccess(response)) throw rejectedBy(this.#url, await rejectionIn(response, this.#url));
      const { session } = this.#link;
      for await (const message of messagesIn(response, this.#url, newPosition())) {
        const value = tryParseBounded(message, answerLimits);
        if (value === undefined) continue;
        this.#link.received(value, session);
        this.#say(message);
      }
      this.#link.accepted(line);
    } catch (error) {
      if (!this.#closing.signal.aborted)
        this.#options.note(`a message of the client was lost: ${asHostError(error).message}`);
    }
  }

  /** Sends a request and passes on what comes back. Whatever happens, the client gets an answer. */
  async #answer(line: ClientLine, signal: AbortSignal): Promise<void> {
    try {
      await this.#exchange(line, signal);
      if (line.ids.some((id) => this.#open.has(id))) throw connectionLost(this.#url);
    } catch (error) {
      const failure = asHostError(error);
      const { code, message, hint } = failure;
      const text = hint === undefined ? message : `${message}; ${hint}`;
      for (const id of line.ids) {
        if (!this.#open.delete(id)) continue;
        await this.#options.write(
          rpcErrorReply(id, errorTable[code].rpc, text, { 'toolwharf/code': code }).text,
        );
      }
      if (!this.#wasReached && !signal.aborted && !this.#closing.signal.aborted) this.#reportFailure(failure);
    }
  }

  async #exchange(line: ClientLine, signal: AbortSignal): Promise<void> {
    let knowsTools = false;
    for (;;) {
      const response = await this.#link.post(line, signal);
      if (isSuccess(response)) {
        this.#wasReached = true;
        if (line.method === 'subscriptions/listen') return this.#subscribe(line, response, signal);
        return this.#pass(line, response, signal);
      }
      const rejected = await rejectionIn(response, this.#url);
      const body = tryParseBounded(rejected.text, answerLimits);
      const error = isObject(body) && isObject(body.error) ? body.error : undefined;
      if (typeof error?.code !== 'number') throw rejectedBy(this.#url, rejected);
      this.#wasReached = true;
      if (error.code === headerMismatch && line.method === 'tools/call' && !knowsTools) {
        // The tool wants arguments in headers, and the client did not list it.
        knowsTools = true;
        await this.#link.learnTools(line, signal);
        continue;
      }
      for (const id of line.ids) {
        if (this.#open.delete(id)) await this.#options.write(JSON.stringify({ jsonrpc: '2.0', id, error }));
      }
      return;
    }
  }

  /** Passes on the messages of a response. A stream that breaks is continued if the server numbers its events. */
  async #pass(line: ClientLine, first: IncomingMessage, signal: AbortSignal): Promise<void> {
    const position = newPosition();
    const isOpen = () => line.ids.some((id) => this.#open.has(id));
    const session = line.method === 'initialize' ? noSession : this.#link.session;
    let response: IncomingMessage | undefined = first;
    let tries = 0;
    while (response !== undefined) {
      try {
        for await (const text of messagesIn(response, this.#url, position)) {
          tries = 0;
          await this.#deliver(line, text, first, session);
        }
        if (!isOpen()) return;
      } catch (error) {
        if (signal.aborted || position.lastEventId === undefined) throw error;
      }
      response = undefined;
      while (response === undefined) {
        if (position.lastEventId === undefined || tries === reconnectDelaysMs.length) return;
        await pause(position.retryMs ?? reconnectDelay(tries), signal);
        tries++;
        response = await this.#continue(position.lastEventId, session, signal);
      }
      if (!isSuccess(response) || !isEventStream(response)) {
        response.destroy();
        return;
      }
    }
  }

  /** Asks for the rest of a stream. Undefined: the server cannot be reached now. */
  async #continue(
    lastEventId: string,
    session: BridgeSession,
    signal: AbortSignal,
  ): Promise<IncomingMessage | undefined> {
    const again = { accept: 'text/event-stream', 'last-event-id': lastEventId };
    const headers = { ...sessionHeaders(session), ...again };
    try {
      return await this.#endpoint.open({ method: 'GET', headers, signal });
    } catch (error) {
      if (signal.aborted || !(error instanceof ConnectionFailure)) throw error;
      return undefined;
    }
  }

  /** One message that came in the response to a request of the client. */
  async #deliver(
    line: ClientLine,
    text: string,
    response: IncomingMessage,
    session: BridgeSession,
  ): Promise<void> {
    const value = tryParseBounded(text, answerLimits);
    if (value === undefined) throw new HostError('upstream_failed', `${this.#url.origin} sent invalid JSON`);
    this.#link.received(value, session);
    const answers = (Array.isArray(value) ? value : [value]).filter((it) => idOfAnswer(it) !== undefined);
    const known = answers.filter((it) => this.#open.delete(idOfAnswer(it) as RequestId));
    // An answer that nobody waits for belongs to a canceled request.
    if (answers.length > 0 && known.length === 0) return;
    for (const it of known as JsonObject[]) {
      if (it.error !== undefined) continue;
      if (line.method === 'initialize' && isObject(it.result)) this.#link.begin(response, it.result);
      if (line.method === 'tools/list') this.#link.toolHeaders.learn(it.result);
      this.#link.accepted(line);
    }
    await this.#options.write(text);
  }

  /** A subscription of the 2026 era lasts until the client cancels it, also if the host restarts meanwhile. */
  async #subscribe(line: ClientLine, first: IncomingMessage, signal: AbortSignal): Promise<void> {
    let response = first;
    let isAgain = false;
    for (let tries = 0; !signal.aborted; tries++) {
      try {
        if (!isSuccess(response)) throw rejectedBy(this.#url, await rejectionIn(response, this.#url));
        for await (const text of messagesIn(response, this.#url, newPosition())) {
          tries = 0;
          if (isAgain && acknowledges(text)) for (const it of changesFor(line)) this.#say(JSON.stringify(it));
          else await this.#deliver(line, text, response, noSession);
          if (line.ids.every((id) => !this.#open.has(id))) return;
        }
      } catch (error) {
        const { code } = asHostError(error);
        if (code !== 'host_unreachable' && code !== 'closed') throw error;
      }
      isAgain = true;
      await pause(reconnectDelay(tries), signal);
      response = await this.#link.post(line, signal, Number.POSITIVE_INFINITY);
    }
  }

  get #url(): URL {
    return this.#endpoint.url;
  }
}

function asHostError(error: unknown): HostError {
  if (error instanceof ConnectionFailure) return error.error;
  if (error instanceof HostError) return error;
  return new HostError('internal', 'the connection failed for an unexpected reason', { cause: error });
}
