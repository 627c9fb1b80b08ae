import type { IncomingMessage } from 'node:http';
import { HostError } from '../../model/host-error.js';
import { isObject, type Json, type JsonObject } from '../../model/json.js';
import { answerLimits, tryParseBounded } from '../../model/json-bounds.js';
import type { BridgeEndpoint } from './bridge-endpoint.js';
import { ConnectionFailure, connectionLost, rejectedBy } from './bridge-failure.js';
import { isEventStream, isSuccess, messagesIn, newPosition, rejectionIn } from './bridge-response.js';
import { type BridgeSession, noSession, sessionHeaders, sessionIn } from './bridge-session.js';
import { type ClientLine, readClientLine } from './client-line.js';
import { pause, reconnectDelay, reconnectDelaysMs } from './reconnect-delay.js';
import { ToolHeaders, toolListRequests } from './request-headers.js';
import { asksClient, ServerQuestions } from './server-questions.js';
import { listChanges, SessionMemory } from './session-memory.js';

export interface ServerLinkOptions {
  readonly endpoint: BridgeEndpoint;
  /** Writes one line to the client. Resolves when it can take the next one. */
  readonly write: (line: string) => Promise<void>;
  /** Tells a person something, on standard error. */
  readonly note: (text: string) => void;
  /** The client has disconnected. */
  readonly closing: AbortSignal;
}

const accept = 'application/json, text/event-stream';
const closeMs = 2000;

/** The server as one client sees it: its session in the 2025 era, which is replaced if the host restarts. */
export class ServerLink {
  readonly #options: ServerLinkOptions;
  readonly #endpoint: BridgeEndpoint;
  readonly #memory = new SessionMemory();
  readonly #questions = new ServerQuestions();
  readonly toolHeaders = new ToolHeaders();
  #session = noSession;
  #renewal: Promise<void> | undefined;

  constructor(options: ServerLinkOptions) {
    this.#options = options;
    this.#endpoint = options.endpoint;
  }

  get session(): BridgeSession {
    return this.#session;
  }

  /** The server answered `initialize`. */
  begin(response: IncomingMessage, result: JsonObject): void {
    if (this.#session !== noSession) this.#endQuestions();
    this.#session = sessionIn(response, result);
  }

  /** A message that the server sent in a session. Throws if it asks something in a lost one: nobody could answer. */
  received(value: Json, session: BridgeSession): void {
    const isCurrent = session === noSession || session === this.#session;
    if (isCurrent) this.#questions.received(value);
    else if (asksClient(value)) throw connectionLost(this.#url);
  }

  /** A line that the server accepted. */
  accepted(line: ClientLine): void {
    this.#memory.accepted(line);
    this.#questions.accepted(line);
    if (line.method === 'notifications/initialized') void this.#listen(this.#session);
  }

  /**
   * Posts a line. A lost session is replaced first; the server did not begin what it rejects for that reason. An answer to
   * a question of the lost session is not sent.
   */
  async post(line: ClientLine, signal: AbortSignal, maxTries?: number): Promise<IncomingMessage> {
    const isFirst = line.method === 'initialize' || line.is2026;
    const session = isFirst ? noSession : this.#session;
    this.#questions.assertOpen(line);
    const response = await this.#send(line, session, signal, maxTries);
    if (response.statusCode !== 404 || session.id === undefined) return response;
    response.destroy();
    await this.#renew(session);
    this.#questions.assertOpen(line);
    return this.#send(line, this.#session, signal, maxTries);
  }

  /** Lists the tools in the name of the client, to know which arguments they want in headers. */
  async learnTools(line: ClientLine, signal: AbortSignal): Promise<void> {
    const request = toolListRequests(line);
    for (let next = request(undefined); next !== undefined; ) {
      const { result } = await this.#ask(next, noSession, signal);
      this.toolHeaders.learn(result);
      next = typeof result.nextCursor === 'string' ? request(result.nextCursor) : undefined;
    }
  }

  /** Ends the session. */
  async close(): Promise<void> {
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

  /** The stream of a 2025 session for messages that belong to no request. Tried again as long as the session is in use. */
  async #listen(session: BridgeSession): Promise<void> {
    const signal = this.#options.closing;
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
          for await (const text of messagesIn(response, this.#url, position)) {
            const value = tryParseBounded(text, answerLimits);
            if (value === undefined) continue;
            this.received(value, session);
            await this.#options.write(text);
          }
        }
      } catch {
        // The host is being restarted, or the network is down.
      }
      await pause(position.retryMs ?? reconnectDelay(tries), signal);
    }
  }

  /** Tries again while the host cannot have received the request. */
  async #send(
    line: ClientLine,
    session: BridgeSession,
    signal: AbortSignal,
    maxTries: number = reconnectDelaysMs.length,
  ): Promise<IncomingMessage> {
    for (let tries = 0; ; tries++) {
      try {
        const headers = { accept, ...sessionHeaders(session), ...this.toolHeaders.of(line) };
        return await this.#endpoint.open({ method: 'POST', headers, body: line.text, signal });
      } catch (error) {
        if (!(error instanceof ConnectionFailure)) throw error;
        if (signal.aborted || !error.isTransient || tries >= maxTries) throw error.error;
        if (tries === 0) this.#options.note(`${error.error.message}; trying again`);
        await pause(reconnectDelay(tries), signal);
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
    const signal = this.#options.closing;
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
    this.#endQuestions();
    this.#options.note('the host has restarted; connected again');
    void this.#listen(session);
    for (const it of listChanges(result.capabilities)) void this.#options.write(JSON.stringify(it));
  }

  #endQuestions(): void {
    for (const it of this.#questions.end()) void this.#options.write(JSON.stringify(it));
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

  get #url(): URL {
    return this.#endpoint.url;
  }
}
