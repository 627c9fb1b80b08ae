import type { IncomingMessage } from 'node:http';
import { HostError } from '../../model/host-error.js';
import { isObject, type JsonObject } from '../../model/json.js';
import { answerLimits, tryParseBounded } from '../../model/json-bounds.js';
import { errorTable } from '../errors.js';
import { headerMismatch } from '../http/mcp-headers.js';
import { type RequestId, requestIdIn, rpcErrorReply } from '../mcp/json-rpc.js';
import type { BridgeEndpoint } from './bridge-endpoint.js';
import { ConnectionFailure, connectionLost, rejectedBy } from './bridge-failure.js';
import { isEventStream, isSuccess, messagesIn, rejectionIn, type StreamPosition } from './bridge-response.js';
import { type BridgeSession, noSession, sessionHeaders } from './bridge-session.js';
import { answeredId, type ClientLine, readClientLine } from './client-line.js';
import { pause, retryDelay, retryDelaysMs } from './pause.js';
import { ToolHeaders, toolListRequests } from './request-headers.js';
import { listChanges, SessionMemory } from './session-memory.js';
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

const accept = 'application/json, text/event-stream';
const closeMs = 2000;
/** Later messages wait for notifications, so a server that does not accept one must not stop everything. */
const notifyMs = 30_000;

/** Passes the messages of one stdio client to an MCP server over HTTP and back, in both eras of MCP. */
export class McpBridge {
  readonly #options: BridgeOptions;
  readonly #endpoint: BridgeEndpoint;
  readonly #open = new Map<RequestId, OpenRequest>();
  readonly #memory = new SessionMemory();
  readonly #toolHeaders = new ToolHeaders();
  readonly #closing = new AbortController();
  #session = noSession;
  #renewal: Promise<void> | undefined;
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
    if (this.#session.id !== undefined) {
      const signal = AbortSignal.timeout(closeMs);
      const headers = sessionHeaders(this.#session);
      await this.#endpoint.open({ method: 'DELETE', headers, signal }).then(
        (response) => response.destroy(),
        () => {},
      );
    }
    this.#endpoint.close();
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
      const response = await this.#post(line, signal);
      if (!isSuccess(response)) throw rejectedBy(this.#url, await rejectionIn(response, this.#url));
      for await (const message of messagesIn(response, this.#url, newPosition())) this.#say(message);
      this.#memory.accepted(line);
      if (line.method === 'notifications/initialized') void this.#listen(this.#session);
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
      const response = await this.#post(line, signal);
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
        await this.#learnTools(line, signal);
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
    const session = line.method === 'initialize' ? noSession : this.#session;
    let response = first;
    for (let tries = 0; ; tries++) {
      try {
        for await (const text of messagesIn(response, this.#url, position))
          await this.#deliver(line, text, first);
        if (!isOpen()) return;
      } catch (error) {
        if (signal.aborted || position.lastEventId === undefined) throw error;
      }
      if (position.lastEventId === undefined || tries === retryDelaysMs.length) return;
      await pause(position.retryMs ?? retryDelay(tries), signal);
      const again = { accept: 'text/event-stream', 'last-event-id': position.lastEventId };
      response = await this.#endpoint.open({
        method: 'GET',
        headers: { ...sessionHeaders(session), ...again },
        signal,
      });
      if (!isSuccess(response) || !isEventStream(response)) {
        response.destroy();
        return;
      }
    }
  }

  /** One message that came in the response to a request of the client. */
  async #deliver(line: ClientLine, text: string, response: IncomingMessage): Promise<void> {
    const value = tryParseBounded(text, answerLimits);
    if (value === undefined) throw new HostError('upstream_failed', `${this.#url.origin} sent invalid JSON`);
    const answers = (Array.isArray(value) ? value : [value]).filter((it) => answeredId(it) !== undefined);
    const known = answers.filter((it) => this.#open.delete(answeredId(it) as RequestId));
    // An answer that nobody waits for belongs to a canceled request.
    if (answers.length > 0 && known.length === 0) return;
    for (const it of known as JsonObject[]) {
      if (it.error !== undefined) continue;
      if (line.method === 'initialize' && isObject(it.result)) this.#session = sessionIn(response, it.result);
      if (line.method === 'tools/list') this.#toolHeaders.learn(it.result);
      this.#memory.accepted(line);
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
          else await this.#deliver(line, text, response);
          if (line.ids.every((id) => !this.#open.has(id))) return;
        }
      } catch (error) {
        const { code } = asHostError(error);
        if (code !== 'host_unreachable' && code !== 'closed') throw error;
      }
      isAgain = true;
      await pause(retryDelay(tries), signal);
      response = await this.#post(line, signal, Number.POSITIVE_INFINITY);
    }
  }

  /** The stream of a 2025 session for messages that belong to no request. Tried again as long as the session is in use. */
  async #listen(session: BridgeSession): Promise<void> {
    const { signal } = this.#closing;
    const position = newPosition();
    for (let tries = 0; !signal.aborted && this.#session === session; tries++) {
      try {
        const { lastEventId } = position;
        const response = await this.#endpoint.open({
          method: 'GET',
          headers: {
            ...sessionHeaders(session),
            accept: 'text/event-stream',
            ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
          },
          signal,
        });
        const { statusCode = 0 } = response;
        if (!isSuccess(response) || !isEventStream(response)) response.destroy();
        if (statusCode === 404 && session.id !== undefined) return await this.#renew(session);
        // Servers need not have this stream.
        if (statusCode < 500 && !isEventStream(response)) return;
        if (isSuccess(response)) {
          tries = 0;
          for await (const text of messagesIn(response, this.#url, position)) await this.#options.write(text);
        }
      } catch {
        // The host is being restarted, or the network is down.
      }
      await pause(position.retryMs ?? retryDelay(tries), signal);
    }
  }

  /** Posts a line. A lost session is replaced first; the server did not begin what it rejects for that reason. */
  async #post(line: ClientLine, signal: AbortSignal, maxTries?: number): Promise<IncomingMessage> {
    const isFirst = line.method === 'initialize' || line.is2026;
    const session = isFirst ? noSession : this.#session;
    const response = await this.#send(line, session, signal, maxTries);
    if (response.statusCode !== 404 || session.id === undefined) return response;
    response.destroy();
    await this.#renew(session);
    return this.#send(line, this.#session, signal, maxTries);
  }

  /** Tries again while the host cannot have received the request. */
  async #send(
    line: ClientLine,
    session: BridgeSession,
    signal: AbortSignal,
    maxTries: number = retryDelaysMs.length,
  ): Promise<IncomingMessage> {
    for (let tries = 0; ; tries++) {
      try {
        const headers = { accept, ...sessionHeaders(session), ...this.#toolHeaders.of(line) };
        return await this.#endpoint.open({ method: 'POST', headers, body: line.text, signal });
      } catch (error) {
        if (!(error instanceof ConnectionFailure)) throw error;
        if (signal.aborted || !error.isTransient || tries >= maxTries) throw error.error;
        if (tries === 0) this.#options.note(`${error.error.message}; trying again`);
        await pause(retryDelay(tries), signal);
      }
    }
  }

  /** Makes a new session like the lost one. All requests that need it share the work. */
  #renew(lost: BridgeSession): Promise<void> {
    if (this.#session !== lost) return Promise.resolve();
    this.#renewal ??= this.#newSession(lost).finally(() => {
      this.#renewal = undefined;
    });
    return this.#renewal;
  }

  async #newSession(lost: BridgeSession): Promise<void> {
    const { signal } = this.#closing;
    const { initialize, initialized } = this.#memory;
    if (initialize === undefined) throw connectionLost(this.#url);
    const { result, response } = await this.#ask(initialize.text, noSession, signal);
    const session = sessionIn(response, result);
    if (session.revision !== lost.revision)
      throw new HostError(
        'host_version',
        `the host now speaks MCP ${session.revision}, not ${lost.revision}`,
        {
          hint: 'restart the client',
        },
      );
    if (initialized !== undefined) {
      const accepted = await this.#send(initialized, session, signal);
      accepted.resume();
    }
    for (const text of this.#memory.restoring()) await this.#ask(text, session, signal).catch(() => {});
    this.#session = session;
    this.#options.note('the host has restarted; connected again');
    void this.#listen(session);
    for (const it of listChanges(result.capabilities)) this.#say(JSON.stringify(it));
  }

  /** A request of our own. */
  async #ask(
    text: string,
    session: BridgeSession,
    signal: AbortSignal,
  ): Promise<{ readonly result: JsonObject; readonly response: IncomingMessage }> {
    const line = readClientLine(text) as ClientLine;
    const response = await this.#send(line, session, signal);
    if (!isSuccess(response)) throw rejectedBy(this.#url, await rejectionIn(response, this.#url));
    for await (const message of messagesIn(response, this.#url, newPosition())) {
      const value = tryParseBounded(message, answerLimits);
      if (isObject(value) && isObject(value.result)) return { result: value.result, response };
    }
    throw connectionLost(this.#url);
  }

  async #learnTools(line: ClientLine, signal: AbortSignal): Promise<void> {
    const request = toolListRequests(line);
    for (let next = request(undefined); next !== undefined; ) {
      const { result } = await this.#ask(next, noSession, signal);
      this.#toolHeaders.learn(result);
      next = typeof result.nextCursor === 'string' ? request(result.nextCursor) : undefined;
    }
  }

  get #url(): URL {
    return this.#endpoint.url;
  }
}

function newPosition(): StreamPosition {
  return { lastEventId: undefined, retryMs: undefined };
}

function sessionIn({ headers }: IncomingMessage, { protocolVersion }: JsonObject): BridgeSession {
  const id = headers['mcp-session-id'];
  return {
    id: typeof id === 'string' ? id : undefined,
    revision: typeof protocolVersion === 'string' ? protocolVersion : undefined,
  };
}

function asHostError(error: unknown): HostError {
  if (error instanceof ConnectionFailure) return error.error;
  if (error instanceof HostError) return error;
  return new HostError('internal', 'the connection failed for an unexpected reason', { cause: error });
}
