import type { CancelSignal } from '../../model/cancel-signal.js';
import { HostError } from '../../model/host-error.js';
import { isObject, type Json, type JsonObject, valueAt } from '../../model/json.js';
import type { ProgramTarget } from '../../model/program.js';
import { toAbortSignal } from '../../net/abort-signal.js';
import type { HttpStream } from '../../net/http-client.js';
import { headerParamsOf } from '../../wire/header-params.js';
import { assertAudience, credentialOf } from '../http.js';
import { fillHeader } from '../template-filling.js';
import type { UpstreamEnd, UpstreamSettings } from '../upstream/upstream.js';
import { eventsOf } from './event-stream.js';
import { ServerRpcError } from './message.js';
import type { Receiver, SendOptions, Transport } from './transport.js';

export type UrlTarget = Extract<ProgramTarget, { kind: 'url' }>;

const protocolKey = 'io.modelcontextprotocol/protocolVersion';
/** Extra bytes allowed around an answer, and the limit for an error body. */
const overheadBytes = 64 * 1024;
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

  constructor(settings: UpstreamSettings, target: UrlTarget, receiver: Receiver) {
    this.#settings = settings;
    this.#url = target.url;
    this.#receiver = receiver;
    this.#name = `${settings.package.id}/${settings.program.name}`;
    const { headers, credential } = ownHeaders(settings, target, this.#name);
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

  takeDeniedHosts(): string[] {
    return [];
  }

  async send(message: JsonObject, options: SendOptions): Promise<'done'> {
    const signal = AbortSignal.any([toAbortSignal(options.signal), this.#stop.signal]);
    const answer = await this.#open('POST', message, options, signal);
    const isRequest = message.id !== undefined && message.method !== undefined;
    try {
      if (answer.status < 200 || answer.status > 299) await this.#reject(answer, isRequest);
      else {
        if (message.method === 'initialize') this.#session = answer.headers['mcp-session-id'];
        await this.#read(answer, options.limit, isRequest);
      }
    } catch (error) {
      throw signal.aborted ? new HostError('canceled', 'the call was canceled', { cause: error }) : error;
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
      const deadline = AbortSignal.timeout(closeMs);
      await this.#open('DELETE', undefined, { limit: overheadBytes, signal: deadline }, deadline).then(
        ({ body }) => body.destroy(),
        () => {},
      );
    }
  }

  #reportEnd(end: UpstreamEnd): void {
    const error =
      end.kind === 'requested'
        ? new HostError('canceled', `${this.#name} was disconnected: ${end.reason}`)
        : new HostError('upstream_failed', `${this.#name} was disconnected: ${end.reason}`);
    this.#receiver.ended(end, error);
  }

  #open(
    method: string,
    message: JsonObject | undefined,
    options: SendOptions,
    signal: CancelSignal,
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
        ...(message === undefined ? {} : bodyHeaders(message, options)),
      },
      ...(message === undefined ? {} : { body: JSON.stringify(message) }),
      reach,
      credential: this.#credential,
      limits: { wallMs: Number.POSITIVE_INFINITY, bodyBytes: options.limit },
      signal,
      onDenied: (place) => options.onNetworkDenied?.([place]),
    });
  }

  async #read(answer: HttpStream, limit: number, isRequest: boolean): Promise<void> {
    const type = answer.headers['content-type'] ?? '';
    if (/^text\/event-stream\b/i.test(type)) {
      for await (const event of eventsOf(answer.body, limit + overheadBytes, () =>
        tooLarge(this.#name, limit),
      ))
        this.#receiver.receive(event);
      return;
    }
    if (!isRequest) return;
    if (!/[/+]json\b/i.test(type)) {
      const what = type === '' ? 'without a content type' : `as ${type.slice(0, 80)}`;
      throw new HostError('upstream_failed', `${this.#name} answered ${what}, which is not MCP`);
    }
    this.#receiver.receive(await textOf(answer, limit + overheadBytes, this.#name));
  }

  /** A JSON-RPC error in the body is used; otherwise the HTTP status decides. */
  async #reject(answer: HttpStream, isRequest: boolean): Promise<never> {
    const { status, reason } = answer;
    const text = await textOf(answer, overheadBytes, this.#name).catch(() => '');
    const message = `${this.#name} answered ${status} ${reason}`.trimEnd();
    if (status === 401 || status === 403) {
      throw new HostError('auth_required', message, {
        hint: 'the server needs a credential, or did not accept the one it got; see "toolwharf secret list"',
      });
    }
    if (status === 404 && this.#session !== undefined) {
      const end = { kind: 'unreachable', reason: 'the session expired' } as const;
      this.#session = undefined;
      const error = new HostError('upstream_failed', `${this.#name}: ${end.reason}; call again`);
      this.#isClosed = true;
      this.#stop.abort();
      this.#receiver.ended(end, error);
      throw error;
    }
    const known = isRequest ? errorIn(text) : undefined;
    if (known !== undefined) throw known;
    if (status === 429) throw new HostError('rate_limited', message, { hint: 'call again later' });
    // Servers reject what they do not understand with different statuses.
    if (status < 500) throw new ServerRpcError(-32_000, `HTTP ${status} ${reason}`.trimEnd());
    throw new HostError('upstream_failed', message);
  }

  /** Reads the event stream of a 2025 server. It is optional, and most servers have none. */
  async #listenForEvents(): Promise<void> {
    const { signal } = this.#stop;
    const limit = 8 * 1024 * 1024;
    for (let tries = 0; tries < retryDelays.length && !signal.aborted; tries++) {
      try {
        const answer = await this.#open('GET', undefined, { limit, signal }, signal);
        if (answer.status !== 200) {
          answer.body.destroy();
          return;
        }
        for await (const event of eventsOf(answer.body, limit, () => tooLarge(this.#name, limit))) {
          tries = 0;
          this.#receiver.receive(event);
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

/** The headers of the manifest with their values. Checks that each secret may be sent to the URL. */
function ownHeaders(
  { slots, reach, package: pkg }: UpstreamSettings,
  { url, headers, credential }: UrlTarget,
  name: string,
): { headers: Record<string, string>; credential: boolean } {
  const used = headers.flatMap(({ value }) =>
    value.parts.flatMap((it) => (it.kind === 'slot' ? [it.slot] : [])),
  );
  const secrets = [...new Set(credential === undefined ? used : [...used, credential])].flatMap((slot) => {
    const value = slots.get(slot);
    return value?.secret === true ? [{ name: slot, value }] : [];
  });
  assertAudience(url, secrets, reach, name);
  const filled: Record<string, string> = { 'user-agent': 'toolwharf' };
  for (const header of headers) {
    const value = fillHeader(header.value, { input: {}, slots }, header.name);
    if (value !== undefined) filled[header.name.toLowerCase()] = value;
  }
  Object.assign(filled, credentialOf(credential, pkg.slots, slots));
  return { headers: filled, credential: secrets.length > 0 };
}

/** In the 2026 era, headers repeat parts of the body for proxies. */
function bodyHeaders({ method, params }: JsonObject, options: SendOptions): Record<string, string> {
  const meta = isObject(params) ? params._meta : undefined;
  const revision = isObject(meta) ? meta[protocolKey] : undefined;
  if (typeof revision !== 'string' || typeof method !== 'string') return {};
  const { subject, schema, arguments: args } = options;
  const marked = headerParamsOf(schema).flatMap(({ path, header }) => {
    const value = valueAt(args, path);
    return value === undefined || value === null || typeof value === 'object'
      ? []
      : [[header, encoded(String(value))] as const];
  });
  return {
    ...Object.fromEntries(marked),
    'mcp-protocol-version': revision,
    'mcp-method': method,
    ...(subject === undefined ? {} : { 'mcp-name': encoded(subject) }),
  };
}

/** Encodes text that is not valid in a header as base64. */
function encoded(text: string): string {
  const fits = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !/^=\?base64\?.*\?=$/.test(text);
  return fits ? text : `=?base64?${Buffer.from(text).toString('base64')}?=`;
}

async function textOf({ body }: HttpStream, limit: number, name: string): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += (chunk as Buffer).length;
    if (size > limit) throw tooLarge(name, limit - overheadBytes);
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function errorIn(text: string): ServerRpcError | undefined {
  let value: Json;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const error = isObject(value) ? value.error : undefined;
  if (!isObject(error) || typeof error.code !== 'number') return undefined;
  return new ServerRpcError(error.code, String(error.message ?? '').slice(0, 4000), error.data);
}

function tooLarge(name: string, limit: number): HostError {
  return new HostError(
    'output_too_large',
    `the answer of ${name} is larger than ${limit.toLocaleString('en')} bytes`,
  );
}
