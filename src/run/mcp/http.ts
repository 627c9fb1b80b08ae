import { HostError } from '../../model/host-error.js';
import { isObject, type Json, type JsonObject, valueAt } from '../../model/json.js';
import type { ProgramTarget } from '../../model/program.js';
import type { Signal } from '../../model/signal.js';
import type { HttpStream } from '../../net/client.js';
import { platformSignal } from '../../net/platform-signal.js';
import { marksOf } from '../../wire/mcp-mark.js';
import { fillHeader } from '../fill.js';
import { assertAudience, credentialOf } from '../http.js';
import type { UpstreamEnd, UpstreamSettings } from '../upstream/upstream.js';
import { eventsOf } from './event-stream.js';
import { RpcError } from './message.js';
import type { Delivery, Receiver, Transport } from './transport.js';

export type UrlTarget = Extract<ProgramTarget, { kind: 'url' }>;

const protocolKey = 'io.modelcontextprotocol/protocolVersion';
/** What may stand around an answer, or instead of one. */
const room = 64 * 1024;
const closeMs = 2000;
/** Seconds until a stream for news is opened again; when the last has passed without news it stays closed. */
const pauses = [1, 2, 5, 15, 60];

/** An MCP server behind a URL: each message is a request of its own, through the one guarded way out. */
export class HttpTransport implements Transport {
  readonly #setting: UpstreamSettings;
  readonly #url: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #credential: boolean;
  readonly #receiver: Receiver;
  readonly #stop = new AbortController();
  readonly #name: string;
  #revision: string | undefined;
  #session: string | undefined;
  #isOver = false;

  constructor(setting: UpstreamSettings, target: UrlTarget, receiver: Receiver) {
    this.#setting = setting;
    this.#url = target.url;
    this.#receiver = receiver;
    this.#name = `${setting.package.id}/${setting.program.name}`;
    const { headers, credential } = ownHeaders(setting, target, this.#name);
    this.#headers = headers;
    this.#credential = credential;
  }

  /** Without a session, and in the newer era anyway, the stream that closes is all that a server notices. */
  get closingCancels(): boolean {
    return this.#revision !== undefined && this.#revision >= '2026';
  }

  speak(revision: string): void {
    this.#revision = revision;
  }

  refused(): string[] {
    return [];
  }

  async send(message: JsonObject, delivery: Delivery): Promise<'over'> {
    const signal = AbortSignal.any([platformSignal(delivery.signal), this.#stop.signal]);
    const answer = await this.#open('POST', message, delivery, signal);
    const isRequest = message.id !== undefined && message.method !== undefined;
    try {
      if (answer.status < 200 || answer.status > 299) await this.#refuse(answer, isRequest);
      else {
        if (message.method === 'initialize') this.#session = answer.headers['mcp-session-id'];
        await this.#read(answer, delivery.limit, isRequest);
      }
    } catch (error) {
      throw signal.aborted ? new HostError('canceled', 'the call was canceled', { cause: error }) : error;
    } finally {
      answer.body.destroy();
    }
    if (message.method === 'notifications/initialized') void this.#hearNews();
    return 'over';
  }

  async close(end: UpstreamEnd): Promise<void> {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#stop.abort();
    await this.#farewell();
    this.#over(end);
  }

  kill(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#stop.abort();
    this.#over({ kind: 'asked', reason: 'it was stopped' });
  }

  async #farewell(): Promise<void> {
    if (this.#session !== undefined) {
      const patience = AbortSignal.timeout(closeMs);
      await this.#open('DELETE', undefined, { limit: room, signal: patience }, patience).then(
        ({ body }) => body.destroy(),
        () => {},
      );
    }
  }

  #over(end: UpstreamEnd): void {
    const error =
      end.kind === 'asked'
        ? new HostError('canceled', `${this.#name} was let go: ${end.reason}`)
        : new HostError('upstream_failed', `${this.#name} was given up: ${end.reason}`);
    this.#receiver.ended(end, error);
  }

  #open(
    method: string,
    message: JsonObject | undefined,
    delivery: Delivery,
    signal: Signal,
  ): Promise<HttpStream> {
    const { client, reach } = this.#setting;
    return client.open({
      method,
      url: this.#url,
      headers: {
        ...this.#headers,
        accept: message === undefined ? 'text/event-stream' : 'application/json, text/event-stream',
        ...(message === undefined ? {} : { 'content-type': 'application/json' }),
        ...(this.#session === undefined ? {} : { 'mcp-session-id': this.#session }),
        ...(this.#revision === undefined ? {} : { 'mcp-protocol-version': this.#revision }),
        ...(message === undefined ? {} : repeated(message, delivery)),
      },
      ...(message === undefined ? {} : { body: JSON.stringify(message) }),
      reach,
      credential: this.#credential,
      limits: { wallMs: Number.POSITIVE_INFINITY, bodyBytes: delivery.limit },
      signal,
      onRefused: (place) => delivery.onRefused?.([place]),
    });
  }

  async #read(answer: HttpStream, limit: number, isRequest: boolean): Promise<void> {
    const type = answer.headers['content-type'] ?? '';
    if (/^text\/event-stream\b/i.test(type)) {
      for await (const event of eventsOf(answer.body, limit + room, () => tooLarge(this.#name, limit)))
        this.#receiver.text(event);
      return;
    }
    if (!isRequest) return;
    if (!/[/+]json\b/i.test(type)) {
      const what = type === '' ? 'without saying of what kind' : `as ${type.slice(0, 80)}`;
      throw new HostError('upstream_failed', `${this.#name} was answered ${what}, which is no MCP`);
    }
    this.#receiver.text(await textOf(answer, limit + room, this.#name));
  }

  /** A refusal that is JSON-RPC is an answer; one that is not gets the words that can be found for it. */
  async #refuse(answer: HttpStream, isRequest: boolean): Promise<never> {
    const { status, reason } = answer;
    const text = await textOf(answer, room, this.#name).catch(() => '');
    const said = `${this.#name} was answered ${status} ${reason}`.trimEnd();
    if (status === 401 || status === 403) {
      throw new HostError('auth_required', said, {
        hint: 'the server did not accept the credential, or wants one; see "toolwharf secret list"',
      });
    }
    if (status === 404 && this.#session !== undefined) {
      const end = { kind: 'unreachable', reason: 'the server has forgotten the session' } as const;
      this.#session = undefined;
      const error = new HostError('upstream_failed', `${this.#name}: ${end.reason}; call again`);
      this.#isOver = true;
      this.#stop.abort();
      this.#receiver.ended(end, error);
      throw error;
    }
    const known = isRequest ? errorIn(text) : undefined;
    if (known !== undefined) throw known;
    if (status === 429)
      throw new HostError('rate_limited', said, { hint: 'the server asks for a pause; call again later' });
    // What a server does not understand, it refuses with a number of its own choice.
    if (status < 500) throw new RpcError(-32_000, `HTTP ${status} ${reason}`.trimEnd());
    throw new HostError('upstream_failed', said);
  }

  /** Servers of the older era may have a stream for what belongs to no request. Most have none, which is fine. */
  async #hearNews(): Promise<void> {
    const { signal } = this.#stop;
    const limit = 8 * 1024 * 1024;
    for (let tries = 0; tries < pauses.length && !signal.aborted; tries++) {
      try {
        const answer = await this.#open('GET', undefined, { limit, signal }, signal);
        if (answer.status !== 200) {
          answer.body.destroy();
          return;
        }
        for await (const event of eventsOf(answer.body, limit, () => tooLarge(this.#name, limit))) {
          tries = 0;
          this.#receiver.text(event);
        }
      } catch (error) {
        if (error instanceof HostError && error.code !== 'network_failed') return;
      }
      await pause((pauses[tries] as number) * 1000, signal);
    }
  }
}

function pause(milliseconds: number, signal: Signal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    timer.unref();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** The headers of the manifest, filled; a secret goes only where it may go. */
function ownHeaders(
  { slots, reach, package: of }: UpstreamSettings,
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
  Object.assign(filled, credentialOf(credential, of.slots, slots));
  return { headers: filled, credential: secrets.length > 0 };
}

/** In the newer era headers say again what the body says, for whoever stands between. */
function repeated({ method, params }: JsonObject, delivery: Delivery): Record<string, string> {
  const meta = isObject(params) ? params._meta : undefined;
  const revision = isObject(meta) ? meta[protocolKey] : undefined;
  if (typeof revision !== 'string' || typeof method !== 'string') return {};
  const { about, schema, arguments: given } = delivery;
  const marked = marksOf(schema).flatMap(({ path, header }) => {
    const value = valueAt(given, path);
    return value === undefined || value === null || typeof value === 'object'
      ? []
      : [[header, encoded(String(value))] as const];
  });
  return {
    ...Object.fromEntries(marked),
    'mcp-protocol-version': revision,
    'mcp-method': method,
    ...(about === undefined ? {} : { 'mcp-name': encoded(about) }),
  };
}

/** What does not fit a header as it is travels in base64. */
function encoded(text: string): string {
  const fits = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !/^=\?base64\?.*\?=$/.test(text);
  return fits ? text : `=?base64?${Buffer.from(text).toString('base64')}?=`;
}

async function textOf({ body }: HttpStream, limit: number, name: string): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += (chunk as Buffer).length;
    if (size > limit) throw tooLarge(name, limit - room);
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function errorIn(text: string): RpcError | undefined {
  let value: Json;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const error = isObject(value) ? value.error : undefined;
  if (!isObject(error) || typeof error.code !== 'number') return undefined;
  return new RpcError(error.code, String(error.message ?? '').slice(0, 4000), error.data);
}

function tooLarge(name: string, limit: number): HostError {
  return new HostError(
    'output_too_large',
    `the answer of ${name} is larger than ${limit.toLocaleString('en')} bytes`,
  );
}
