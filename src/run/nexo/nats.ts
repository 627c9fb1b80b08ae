import { randomUUID } from 'node:crypto';
import type { Msg, NatsConnection } from '@nats-io/transport-node';
import { neverCanceled } from '../../model/cancel-signal.js';
import { HostError } from '../../model/host-error.js';
import type { Json, JsonObject } from '../../model/json.js';
import { assertNotDenied, parseDestination } from '../../net/destination.js';
import type { PeerRequest, SentRequest } from '../rpc/peer-channel.js';
import { RpcFailure } from '../rpc/rpc-failure.js';
import { RateLimitedLog } from '../upstream/rate-limited-log.js';
import type { UpstreamEnd, UpstreamSettings } from '../upstream/upstream.js';
import { type NatsForm, otherForm, readCard, unwrapMessage, wrapRequest } from './nats-envelope.js';
import { connectNats, type NatsBus, parseNatsUrl } from './nats-server.js';
import { type NexoPeer, nexoPeer } from './nexo-dialect.js';
import { missedHeartbeats, type NexoTimes, type NexoTransport, nexoLogLimits } from './nexo-transport.js';

const connectMs = 5000;
const maxCallMs = 10 * 60_000;
/** An announcement or a goodbye; a longer one is ignored. */
const maxCardBytes = 1024 * 1024;

/** Connects to an extension that runs elsewhere, through the operator's NATS server. */
export async function openNats(
  settings: UpstreamSettings,
  prefix: string,
  times: NexoTimes,
): Promise<NexoTransport> {
  const { natsUrl, package: pkg, timeoutMs } = settings;
  if (natsUrl === null) {
    throw new HostError('needs_setup', `${pkg.id} uses NATS, but no NATS server is configured`, {
      hint: 'set one: --nats-url nats://127.0.0.1:4222, TOOLWHARF_NATS_URL, or nats.url in the configuration',
    });
  }
  const server = parseNatsUrl(natsUrl);
  // A package without network access must not be reached through the NATS server either.
  assertNotDenied(parseDestination(`https://${server.address}`), settings.reach);
  const bus = await connectNats(server, Math.min(timeoutMs, connectMs), settings.reach.certificates);
  return new NatsTransport(bus, server.address, prefix, settings, times);
}

class NatsTransport implements NexoTransport {
  readonly ended: Promise<UpstreamEnd>;
  readonly #connection: NatsConnection;
  readonly #inbox: string;
  readonly #subject: string;
  readonly #address: string;
  readonly #prefix: string;
  readonly #settings: UpstreamSettings;
  readonly #times: NexoTimes;
  readonly #name: string;
  readonly #peer: NexoPeer;
  readonly #log: RateLimitedLog;
  #end: (end: UpstreamEnd) => void = () => {};
  #over = false;
  #connected = true;
  #version: string | undefined;
  /** The form that the extension understands. */
  #form: NatsForm = 'envelope';
  /** Sends a pending `initialize` in the other form; undefined if there is none or it was sent in both. */
  #tryOtherForm: (() => void) | undefined;
  #triedBothForms = false;
  #silence: NodeJS.Timeout | undefined;
  #disconnectTimer: NodeJS.Timeout | undefined;

  constructor(bus: NatsBus, address: string, prefix: string, settings: UpstreamSettings, times: NexoTimes) {
    const { id } = settings.package;
    this.#connection = bus.connection;
    this.#inbox = bus.inbox;
    this.#address = address;
    this.#prefix = prefix;
    this.#subject = `${prefix}.${id}.rpc`;
    this.#settings = settings;
    this.#times = times;
    this.#name = `the extension ${id}`;
    this.#log = new RateLimitedLog(settings.onLog, nexoLogLimits);
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
    this.#peer = nexoPeer({
      onLog: (line) => this.#log.write(line),
      onFlood: () => this.#gone('protocol-error', `${this.#name} sent too many unsolicited messages`),
    });
    this.#peer.connect({ send: (message, sent) => this.#send(message, sent) });
    this.#subscribe(`${bus.inbox}.*`, (message) => this.#receive(message));
    this.#subscribe(`${prefix}.registry.announce`, (message) => this.#announced(message));
    this.#subscribe(`${prefix}.registry.heartbeat.${id}`, () => this.#markAlive());
    this.#subscribe(`${prefix}.registry.shutdown.${id}`, (message) => this.#stopped(message));
    void this.#watchConnection();
  }

  request(request: PeerRequest): Promise<Json> {
    return this.#peer.request(request).finally(() => {
      if (this.#over && this.#peer.pending === 0) void this.#disconnect();
    });
  }

  initialized(version: string | undefined): void {
    this.#version = version;
    this.#markAlive();
  }

  takeContactedHosts(): undefined {
    return undefined;
  }

  takeDeniedHosts(): readonly string[] {
    return [];
  }

  /** The host did not start it, so it does not stop it either: others may use it. */
  async close(reason: string): Promise<void> {
    this.#over = true;
    this.#end({ kind: 'requested', reason });
    this.#peer.end(new HostError('upstream_failed', `${this.#name} was disconnected: ${reason}`));
    await this.#disconnect();
  }

  #subscribe(subject: string, take: (message: Msg) => void): void {
    this.#connection.subscribe(subject, {
      callback: (error, message) => {
        if (error === null) take(message);
        else this.#log.write(`the NATS server rejected the subscription to ${subject}: ${error.message}`);
      },
    });
  }

  async #send(message: JsonObject, sent: SentRequest<PeerRequest> | null): Promise<'sent'> {
    // There is no way to answer a request of the extension.
    if (sent === null) return 'sent';
    if (this.#over) throw new HostError('upstream_failed', `another version of ${this.#name} replaces it`);
    if (!this.#connected)
      throw new HostError('network_failed', `the NATS server at ${this.#address} is not connected`);
    const text = JSON.stringify(message);
    this.#publish(text, this.#form, sent);
    // Initializing twice is safe, so it is used to find out the form. A call is never sent twice.
    if (sent.request.method === 'initialize') this.#findForm(text, sent);
    return 'sent';
  }

  #publish(text: string, form: NatsForm, { id, request }: SentRequest<PeerRequest>): void {
    const reply = `${this.#inbox}.${id}`;
    const address = { id: randomUUID(), topic: this.#subject, replyTo: reply };
    const payload = form === 'envelope' ? wrapRequest(text, address) : text;
    const maxBytes = this.#connection.info?.max_payload ?? Number.POSITIVE_INFINITY;
    const bytes = Buffer.byteLength(payload);
    if (bytes > maxBytes) {
      throw new HostError(
        'invalid_input',
        `the input of ${request.name} has ${bytes.toLocaleString('en')} bytes; the NATS server allows ${maxBytes.toLocaleString('en')}`,
        { hint: 'use a smaller input, or raise max_payload of the NATS server' },
      );
    }
    this.#connection.publish(this.#subject, payload, { reply });
  }

  /** Sends the request in the other form too if there is no answer soon. The form of the answer is used from then on. */
  #findForm(text: string, sent: SentRequest<PeerRequest>): void {
    this.#triedBothForms = false;
    const tryOther = () => {
      clearTimeout(timer);
      this.#tryOtherForm = undefined;
      if (sent.signal.aborted || this.#over || !this.#connected) return;
      this.#triedBothForms = true;
      this.#publish(text, otherForm(this.#form), sent);
    };
    const timer = setTimeout(tryOther, this.#times.form);
    this.#tryOtherForm = tryOther;
    sent.signal.addEventListener(
      'abort',
      () => {
        clearTimeout(timer);
        this.#triedBothForms = false;
        if (this.#tryOtherForm === tryOther) this.#tryOtherForm = undefined;
      },
      { once: true },
    );
  }

  #receive(received: Msg): void {
    const id = Number(received.subject.slice(this.#inbox.length + 1));
    if (received.data.length === 0 && received.headers?.code === 503) {
      const message = `no subscriber on the NATS subject ${this.#subject}`;
      const hint = `start ${this.#settings.package.id} and connect it to ${this.#address}`;
      this.#peer.fail(id, new HostError('upstream_failed', message, { hint }));
      return;
    }
    this.#markAlive();
    const bytes = received.data.length;
    // The subject says which request it answers, even if the text cannot be read.
    const head = `{"id":${id},`;
    if (bytes > this.#peer.maxMessageBytes) {
      if (this.#peer.unrequested(bytes, 'a message that is too long was skipped'))
        this.#peer.failTooLong(head);
      return;
    }
    const pending = this.#peer.pending;
    const message = unwrapMessage(received.string());
    if ('limit' in message) {
      this.#peer.receiveExcess(message, head, bytes);
      return;
    }
    this.#peer.receive(message.text, bytes);
    const isAnswer = this.#peer.pending < pending;
    if (isAnswer && this.#triedBothForms) this.#form = message.form;
    // It answered, but not to what was asked: it probably does not understand this form.
    if (!isAnswer) this.#tryOtherForm?.();
  }

  /** A message arrived, so it is alive: restart the silence timer. */
  #markAlive(): void {
    if (this.#over) return;
    clearTimeout(this.#silence);
    this.#silence = setTimeout(() => void this.#probe(), missedHeartbeats * this.#times.heartbeat);
    this.#silence.unref();
  }

  /** No message for a while. An extension that still answers a request is alive, even without heartbeats. */
  async #probe(): Promise<void> {
    const signal = neverCanceled;
    const deadline = { timeoutMs: this.#times.heartbeat, signal };
    const request = { method: 'tools/list', params: {}, name: this.#name, limit: 0 };
    const alive = await this.#peer.request({ ...request, ...deadline }).then(
      () => true,
      (error) => error instanceof RpcFailure || (error as HostError).code === 'output_too_large',
    );
    const seconds = (missedHeartbeats * this.#times.heartbeat) / 1000;
    if (!alive) this.#gone('unreachable', `${this.#name} sent no heartbeat for ${seconds} s`);
  }

  #announced(message: Msg): void {
    const card = cardOf(message);
    const { id } = this.#settings.package;
    if (card.id !== id || (card.subject_prefix || this.#prefix) !== this.#prefix) return;
    this.#markAlive();
    // It announces itself when it starts, with the same version too.
    this.#settings.onOutdated();
    const version = typeof card.version === 'string' ? card.version.slice(0, 64) : undefined;
    if (version === undefined || version === this.#version || this.#over) return;
    if (this.#version === undefined) {
      this.#version = version;
      return;
    }
    this.#over = true;
    clearTimeout(this.#silence);
    this.#log.write(`version ${version} replaces version ${this.#version}`);
    this.#end({ kind: 'requested', reason: `version ${version} of ${this.#name} replaces it` });
    // The next call connects again, and the new announcement is compared as at any start. Pending requests may still be
    // answered on this connection.
    this.#disconnectTimer = setTimeout(() => void this.#disconnect(), maxCallMs);
    this.#disconnectTimer.unref();
    if (this.#peer.pending === 0) void this.#disconnect();
  }

  #stopped(message: Msg): void {
    const { reason } = cardOf(message);
    const why = typeof reason === 'string' && reason.trim() !== '' ? `: ${reason.slice(0, 200)}` : '';
    this.#gone('exited', `${this.#name} announced its shutdown${why}`);
  }

  #gone(kind: UpstreamEnd['kind'], reason: string): void {
    if (this.#over) return;
    this.#over = true;
    this.#end({ kind, reason });
    this.#peer.end(new HostError('upstream_failed', reason));
    void this.#disconnect();
  }

  async #watchConnection(): Promise<void> {
    for await (const { type } of this.#connection.status()) {
      if (type === 'disconnect') this.#connected = false;
      if (type === 'reconnect') {
        this.#connected = true;
        // Announcements may have been lost meanwhile.
        this.#settings.onOutdated();
      }
    }
    this.#gone('unreachable', `the connection to the NATS server at ${this.#address} was closed`);
  }

  async #disconnect(): Promise<void> {
    clearTimeout(this.#silence);
    clearTimeout(this.#disconnectTimer);
    this.#log.close();
    if (!this.#connection.isClosed()) await this.#connection.close();
  }
}

function cardOf(message: Msg): JsonObject {
  return message.data.length > maxCardBytes ? {} : readCard(message.string());
}
