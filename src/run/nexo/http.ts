import { HostError } from '../../model/host-error.js';
import type { JsonObject } from '../../model/json.js';
import type { UrlTarget } from '../../model/program.js';
import { toAbortSignal } from '../../net/abort-signal.js';
import type { HttpResponse } from '../../net/http-client.js';
import { quotedExcerpt } from '../output-reader.js';
import { answerError } from '../rpc/answer-error.js';
import { parseMessageText } from '../rpc/message-text.js';
import type { PeerRequest, SentRequest } from '../rpc/peer-channel.js';
import { fillHeader } from '../template-filling.js';
import { RateLimitedLog } from '../upstream/rate-limited-log.js';
import type { UpstreamEnd, UpstreamSettings } from '../upstream/upstream.js';
import { type NexoPeer, nexoAnswerBytes, nexoEnvelopeBytes, nexoPeer } from './nexo-dialect.js';
import { type NexoTransport, nexoLogLimits } from './nexo-transport.js';

/** Connects to an extension at a URL: each request is a POST, and the response is its answer. */
export function openNexoHttp(settings: UpstreamSettings, target: UrlTarget): NexoTransport {
  return new HttpTransport(settings, target);
}

class HttpTransport implements NexoTransport {
  readonly ended: Promise<UpstreamEnd>;
  readonly #settings: UpstreamSettings;
  readonly #target: UrlTarget;
  readonly #peer: NexoPeer;
  readonly #log: RateLimitedLog;
  readonly #closing = new AbortController();
  readonly #deniedHosts = new Set<string>();
  readonly #contactedHosts = new Set<string>();
  #end: (end: UpstreamEnd) => void = () => {};

  constructor(settings: UpstreamSettings, target: UrlTarget) {
    this.#settings = settings;
    this.#target = target;
    this.#log = new RateLimitedLog(settings.onLog, nexoLogLimits);
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
    this.#peer = nexoPeer({
      onLog: (line) => this.#log.write(line),
      // The size of a response is limited, and there are no messages without a request.
      onFlood: () => {},
    });
    this.#peer.connect({
      // There is no way to answer a request of the extension.
      send: (message, sent) => (sent === null ? Promise.resolve('sent') : this.#post(message, sent)),
    });
  }

  request(request: PeerRequest) {
    return this.#peer.request(request);
  }

  initialized(): void {}

  takeDeniedHosts(): readonly string[] {
    const denied = [...this.#deniedHosts];
    this.#deniedHosts.clear();
    return denied;
  }

  takeContactedHosts(): readonly string[] {
    const contacted = [...this.#contactedHosts];
    this.#contactedHosts.clear();
    return contacted;
  }

  /** The host did not start it, so it does not stop it either: others may use it. */
  async close(reason: string): Promise<void> {
    const message = `the extension ${this.#settings.package.id} was disconnected: ${reason}`;
    this.#peer.end(new HostError('upstream_failed', message));
    this.#closing.abort();
    this.#log.close();
    this.#end({ kind: 'requested', reason });
  }

  async #post(message: JsonObject, { id, request, signal }: SentRequest<PeerRequest>): Promise<'done'> {
    const { client, reach } = this.#settings;
    const response = await client.send({
      method: 'POST',
      url: this.#target.url,
      headers: this.#headers(),
      body: JSON.stringify(message),
      reach,
      credential: this.#carriesSecret(),
      limits: {
        wallMs: request.timeoutMs,
        bodyBytes: (request.limit ?? nexoAnswerBytes) + nexoEnvelopeBytes,
      },
      signal: AbortSignal.any([toAbortSignal(signal), this.#closing.signal]),
      onDenied: (place) => this.#deniedHosts.add(place),
      onContacted: (place) => this.#contactedHosts.add(place),
    });
    this.#receive(response, id, request);
    this.#peer.fail(id, unanswered(response, request));
    return 'done';
  }

  /** One message; or, if the body is not JSON, one message per line. */
  #receive({ body }: HttpResponse, id: number, { name }: PeerRequest): void {
    const text = body.toString('utf8');
    const { value, excess } = parseMessageText(text);
    if (excess !== undefined) {
      this.#peer.fail(id, answerError.tooComplex(name, excess));
      return;
    }
    const lines = value === undefined ? text.split('\n').filter((it) => it.trim() !== '') : [text];
    for (const line of lines) this.#peer.receive(line, Buffer.byteLength(line));
  }

  #headers(): Record<string, string> {
    const headers: Record<string, string> = {
      accept: 'application/json',
      'content-type': 'application/json',
      'user-agent': 'toolwharf',
    };
    const values = { input: {}, slots: this.#settings.slots };
    for (const { name, value } of this.#target.headers) {
      const filled = fillHeader(value, values, name);
      if (filled !== undefined) headers[name.toLowerCase()] = filled;
    }
    return headers;
  }

  #carriesSecret(): boolean {
    const { slots } = this.#settings;
    return this.#target.headers.some(({ value }) =>
      value.parts.some((it) => it.kind === 'slot' && slots.get(it.slot)?.secret === true),
    );
  }
}

function unanswered({ status, reason, body }: HttpResponse, { name }: PeerRequest): HostError {
  const text = body.toString('utf8');
  const received = text.trim() === '' ? 'an empty response' : quotedExcerpt(text);
  if (status < 200 || status > 299)
    return new HostError('upstream_failed', `${name} got HTTP status ${status} ${reason}`.trimEnd());
  return new HostError('tool_bad_output', `${name} got ${received}, which is not a valid answer`);
}
