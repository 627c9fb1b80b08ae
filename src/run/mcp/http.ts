import type { CancelSignal } from '../../model/cancel-signal.js';
import { callCanceled, HostError } from '../../model/host-error.js';
import type { JsonObject } from '../../model/json.js';
import type { UrlTarget } from '../../model/program.js';
import { toAbortSignal } from '../../net/abort-signal.js';
import type { HttpStream } from '../../net/http-client.js';
import { transientStatus } from '../../net/transient-failure.js';
import { eventsOf } from '../../wire/event-stream.js';
import { answerError } from '../rpc/answer-error.js';
import type { SentRequest } from '../rpc/peer-channel.js';
import { RpcFailure } from '../rpc/rpc-failure.js';
import type { UpstreamEnd, UpstreamSettings } from '../upstream/upstream.js';
import { authorizationError } from './http-authorization.js';
import { bodyOverheadBytes, bodyText, errorIn, streamsEvents } from './http-body.js';
import { bodyHeaders, manifestHeaders } from './http-headers.js';
import { type McpRequest, mcpAnswerBytes } from './mcp-dialect.js';
import { headerText, resumedEvents } from './resumed-events.js';
import type { Receiver, Transport } from './transport.js';

/** One HTTP request. */
interface HttpExchange {
  readonly method: string;
  /** Undefined: without a body. */
  readonly message?: JsonObject;
  /** The request in the message. */
  readonly request?: McpRequest | undefined;
  /** Maximum size of the response in bytes. */
  readonly limit: number;
  /** Continues the stream after this event. */
  readonly lastEventId?: string | undefined;
  readonly signal: CancelSignal;
}

const closeMs = 2000;
/** Seconds until the event stream is opened again. After the last delay it stays closed. */
const retryDelays = [1, 2, 5, 15, 60];

/** An MCP server at a URL. Each message is an HTTP request of the guarded HTTP client. */
export class HttpTransport implements Transport {
  readonly #settings: UpstreamSettings;
  readonly #url: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #credential: boolean;
  readonly #receiver: Receiver;
  readonly #stop = new AbortController();
  readonly #name: string;
  #revision: string | undefined;
  #session: string | undefined;
  #isClosed = false;
  readonly #contactedHosts = new Set<string>();

  constructor(settings: UpstreamSettings, target: UrlTarget, receiver: Receiver) {
    this.#settings = settings;
    this.#url = target.url;
    this.#receiver = receiver;
    this.#name = `${settings.package.id}/${settings.program.name}`;
    const { headers, credential } = manifestHeaders(settings, target, this.#name);
    this.#headers = headers;
    this.#credential = credential;
  }

  /** Only in the 2026 era; a 2025 session needs a cancel notification. */
  get closingCancels(): boolean {
    return this.#revision !== undefined && this.#revision >= '2026';
  }

  setRevision(revision: string): void {
    this.#revision = revision;
  }

  takeContactedHosts(): readonly string[] {
    const contacted = [...this.#contactedHosts];
    this.#contactedHosts.clear();
    return contacted;
  }

  takeDeniedHosts(): string[] {
    return [];
  }

  async send(message: JsonObject, sent: SentRequest<McpRequest> | null): Promise<'done'> {
    const { request, signal: settled } = sent ?? {};
    const signal =
      settled === undefined
        ? this.#stop.signal
        : AbortSignal.any([toAbortSignal(settled), this.#stop.signal]);
    const limit = request?.limit ?? mcpAnswerBytes;
    const answer = await this.#open({ method: 'POST', message, request, limit, signal });
    try {
      if (answer.status < 200 || answer.status > 299) await this.#reject(answer, sent !== null);
      else {
        if (message.method === 'initialize') this.#session = answer.headers['mcp-session-id'];
        await this.#read(answer, limit, sent === null ? undefined : signal);
      }
    } catch (error) {
      throw signal.aborted ? callCanceled(error) : error;
    } finally {
      answer.body.destroy();
    }
    if (message.method === 'notifications/initialized') void this.#listenForEvents();
    return 'done';
  }

  async close(end: UpstreamEnd): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#stop.abort();
    await this.#endSession();
    this.#reportEnd(end);
  }

  kill(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#stop.abort();
    this.#reportEnd({ kind: 'requested', reason: 'it was stopped' });
  }

  async #endSession(): Promise<void> {
    if (this.#session !== undefined) {
      const signal = AbortSignal.timeout(closeMs);
      await this.#open({ method: 'DELETE', limit: bodyOverheadBytes, signal }).then(
        ({ body }) => body.destroy(),
        () => {},
      );
    }
  }

  #reportEnd(end: UpstreamEnd): void {
    const error =
      end.kind === 'requested'
        ? new HostError('canceled', `${this.#name} was disconnected: ${end.reason}`)
        : new HostError('upstream_failed', `${this.#name} was disconnected: ${end.reason}`, {
            transient: {},
          });
    this.#receiver.ended(end, error);
  }

  /** Sends the token of a sign-in, if there is one. A rejected one is replaced once. */
  async #open(exchange: HttpExchange): Promise<HttpStream> {
    const { tokens } = this.#settings;
    const token = await tokens?.current(exchange.signal);
    const answer = await this.#exchange(exchange, token);
    if (answer.status !== 401 || token === undefined) return answer;
    const other = await tokens?.replace(token, exchange.signal);
    if (other === undefined) return answer;
    answer.body.destroy();
    return this.#exchange(exchange, other);
  }

  #exchange(
    { method, message, request, limit, lastEventId, signal }: HttpExchange,
    token: string | undefined,
  ): Promise<HttpStream> {
    const { client, reach } = this.#settings;
    return client.open({
      method,
      url: this.#url,
      headers: {
        ...this.#headers,
        accept: message === undefined ? 'text/event-stream' : 'application/json, text/event-stream',
        ...(message === undefined ? {} : { 'content-type': 'application/json' }),
        ...(this.#session === undefined ? {} : { 'mcp-session-id': this.#session }),
        ...(this.#revision === undefined ? {} : { 'mcp-protocol-version': this.#revision }),
        ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
        ...(message === undefined ? {} : bodyHeaders(message, request)),
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      },
      ...(message === undefined ? {} : { body: JSON.stringify(message) }),
      reach,
      credential: this.#credential || token !== undefined,
      limits: { wallMs: Number.POSITIVE_INFINITY, bodyBytes: limit },
      signal,
      onDenied: (place) => request?.onNetworkDenied?.([place]),
      onContacted: (place) => this.#contactedHosts.add(place),
    });
  }

  /** `requested`: the signal of the request that this answers. Undefined: nobody waits for an answer. */
  async #read(answer: HttpStream, limit: number, requested: AbortSignal | undefined): Promise<void> {
    const type = answer.headers['content-type'] ?? '';
    if (streamsEvents(answer)) {
      const tooLarge = () => answerError.tooLarge(this.#name, limit);
      const options = { limit: limit + bodyOverheadBytes, tooLarge };
      const events =
        requested === undefined || this.closingCancels
          ? eventsOf(answer.body, options.limit, tooLarge)
          : resumedEvents(answer, {
              ...options,
              signal: requested,
              reopen: (lastEventId) =>
                this.#continue({ method: 'GET', limit, lastEventId, signal: requested }),
            });
      for await (const event of events) if (event !== '') this.#receive(event);
      return;
    }
    if (requested === undefined) return;
    if (!/[/+]json\b/i.test(type)) {
      const what = type === '' ? 'without a content type' : `as ${type.slice(0, 80)}`;
      throw new HostError('upstream_failed', `${this.#name} answered ${what}, which is not MCP`);
    }
    this.#receive(await bodyText(answer, limit + bodyOverheadBytes, this.#name));
  }

  async #continue(exchange: HttpExchange): Promise<HttpStream | null> {
    const answer = await this.#open(exchange);
    if (answer.status === 200 && streamsEvents(answer)) return answer;
    answer.body.destroy();
    return null;
  }

  #receive(text: string): void {
    this.#receiver.receive(text, Buffer.byteLength(text));
  }

  /** A JSON-RPC error in the body is used; otherwise the HTTP status decides. */
  async #reject(answer: HttpStream, isRequest: boolean): Promise<never> {
    const { status, reason } = answer;
    const text = await bodyText(answer, bodyOverheadBytes, this.#name).catch(() => '');
    const message = `${this.#name} answered ${status} ${reason}`.trimEnd();
    if (status === 401 || status === 403) {
      const { tokens } = this.#settings;
      throw await authorizationError(answer, { name: this.#name, tokens, hasSecrets: this.#credential });
    }
    if (status === 404 && this.#session !== undefined) {
      const end = { kind: 'unreachable', reason: 'the session expired' } as const;
      this.#session = undefined;
      const message = `${this.#name}: ${end.reason}; call again`;
      const error = new HostError('upstream_failed', message, { transient: {} });
      this.#isClosed = true;
      this.#stop.abort();
      this.#receiver.ended(end, error);
      throw error;
    }
    const known = isRequest ? errorIn(text) : undefined;
    if (known !== undefined) throw known;
    const transient = transientStatus(answer);
    if (status === 429) throw new HostError('rate_limited', message, { hint: 'call again later', transient });
    // Servers reject what they do not understand with different statuses.
    if (status < 500) throw new RpcFailure(-32_000, `HTTP ${status} ${reason}`.trimEnd());
    throw new HostError('upstream_failed', message, { transient });
  }

  /** Reads the event stream of a 2025 server. It is optional, and most servers have none. */
  async #listenForEvents(): Promise<void> {
    const { signal } = this.#stop;
    const limit = mcpAnswerBytes;
    const tooLarge = () => answerError.tooLarge(this.#name, limit);
    let wasOpen = false;
    let lastEventId: string | undefined;
    for (let tries = 0; tries < retryDelays.length && !signal.aborted; tries++) {
      try {
        const answer = await this.#open({ method: 'GET', limit, lastEventId, signal });
        if (answer.status !== 200) {
          answer.body.destroy();
          return;
        }
        // Reports of changes may have been lost while the stream was closed.
        if (wasOpen) this.#settings.onOutdated();
        wasOpen = true;
        const onField = (field: 'id' | 'retry', value: string) => {
          if (field === 'id') lastEventId = headerText.test(value) ? value : undefined;
        };
        for await (const event of eventsOf(answer.body, limit, tooLarge, onField)) {
          tries = 0;
          if (event !== '') this.#receive(event);
        }
      } catch (error) {
        if (error instanceof HostError && error.code !== 'network_failed') return;
      }
      await pause((retryDelays[tries] as number) * 1000, signal);
    }
  }
}

function pause(milliseconds: number, signal: CancelSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    timer.unref();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
