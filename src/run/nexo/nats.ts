import type { Msg, NatsConnection } from '@nats-io/transport-node';
import { HostError } from '../../model/host-error.js';
import { isObject, type Json, type JsonObject } from '../../model/json.js';
import { unstoppable } from '../../model/signal.js';
import { assertNotDenied, parseDestination } from '../../net/destination.js';
import type { UpstreamEnd, UpstreamSettings } from '../upstream/upstream.js';
import { Journal } from './journal.js';
import { RpcFailure } from './message.js';
import { connectNats, type NatsBus, parseNatsUrl } from './nats-server.js';
import { type Asked, Peer, type Question } from './peer.js';
import { missedHeartbeats, type NexoTimes, type Wire } from './wire.js';

const connectMs = 5000;
const longestCall = 10 * 60_000;

/** Speaks with an extension that somebody runs elsewhere, through the operator's NATS server. */
export async function openNats(setting: UpstreamSettings, prefix: string, times: NexoTimes): Promise<Wire> {
  const { natsUrl, package: of, timeoutMs } = setting;
  if (natsUrl === null) {
    throw new HostError('needs_setup', `${of.id} answers over NATS, and no NATS server is named`, {
      hint: 'name one: --nats-url nats://127.0.0.1:4222, TOOLWHARF_NATS_URL, or nats.url in the configuration',
    });
  }
  const server = parseNatsUrl(natsUrl);
  // A package that may not go anywhere is not asked through somebody else either.
  assertNotDenied(parseDestination(`https://${server.place}`), setting.reach);
  const bus = await connectNats(server, Math.min(timeoutMs, connectMs));
  return new Nats(bus, server.place, prefix, setting, times);
}

class Nats implements Wire {
  readonly ended: Promise<UpstreamEnd>;
  readonly #connection: NatsConnection;
  readonly #inbox: string;
  readonly #subject: string;
  readonly #place: string;
  readonly #prefix: string;
  readonly #setting: UpstreamSettings;
  readonly #times: NexoTimes;
  readonly #who: string;
  readonly #peer: Peer;
  readonly #journal: Journal;
  #end: (end: UpstreamEnd) => void = () => {};
  #over = false;
  #connected = true;
  #version: string | undefined;
  #silence: NodeJS.Timeout | undefined;
  #farewell: NodeJS.Timeout | undefined;

  constructor(bus: NatsBus, place: string, prefix: string, setting: UpstreamSettings, times: NexoTimes) {
    const { id } = setting.package;
    this.#connection = bus.connection;
    this.#inbox = bus.inbox;
    this.#place = place;
    this.#prefix = prefix;
    this.#subject = `${prefix}.${id}.rpc`;
    this.#setting = setting;
    this.#times = times;
    this.#who = `the extension ${id}`;
    this.#journal = new Journal(setting.onLog);
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
    this.#peer = new Peer({
      send: (text, asked) => this.#send(text, asked),
      onLog: (line) => this.#journal.write(line),
      onFlood: () => this.#gone('garbled', `${this.#who} sent too much that nobody asked for`),
    });
    this.#listen(`${bus.inbox}.*`, (message) => this.#receive(message));
    this.#listen(`${prefix}.registry.announce`, (message) => this.#announced(message));
    this.#listen(`${prefix}.registry.heartbeat.${id}`, () => this.#heard());
    this.#listen(`${prefix}.registry.shutdown.${id}`, (message) => this.#goodbye(message));
    void this.#watchConnection();
  }

  ask(question: Question): Promise<Json> {
    return this.#peer.ask(question).finally(() => {
      if (this.#over && this.#peer.open === 0) void this.#disconnect();
    });
  }

  introduced(version: string | undefined): void {
    this.#version = version;
    this.#heard();
  }

  refusals(): readonly string[] {
    return [];
  }

  /** It was not started here, so it is not told to stop: others may be using it. */
  async close(reason: string): Promise<void> {
    this.#over = true;
    this.#end({ kind: 'asked', reason });
    this.#peer.end(new HostError('upstream_failed', `${this.#who} was let go: ${reason}`));
    await this.#disconnect();
  }

  #listen(subject: string, take: (message: Msg) => void): void {
    this.#connection.subscribe(subject, {
      callback: (error, message) => {
        if (error === null) take(message);
        else this.#journal.write(`NATS does not let the host listen on ${subject}: ${error.message}`);
      },
    });
  }

  #send(text: string, asked: Asked | null): void {
    if (asked === null) return;
    if (this.#over) throw new HostError('upstream_failed', `another version of ${this.#who} takes its place`);
    if (!this.#connected) throw new HostError('network_failed', `the NATS server at ${this.#place} is away`);
    const most = this.#connection.info?.max_payload ?? Number.POSITIVE_INFINITY;
    const bytes = Buffer.byteLength(text);
    if (bytes > most) {
      throw new HostError(
        'invalid_input',
        `${asked.question.name} was given ${bytes.toLocaleString('en')} bytes; the NATS server takes ${most.toLocaleString('en')}`,
        { hint: 'give it less, or raise max_payload of the server' },
      );
    }
    this.#connection.publish(this.#subject, text, { reply: `${this.#inbox}.${asked.id}` });
  }

  #receive(message: Msg): void {
    if (message.data.length === 0 && message.headers?.code === 503) {
      const id = Number(message.subject.slice(this.#inbox.length + 1));
      const words = `nobody answers on ${this.#subject}`;
      const hint = `start ${this.#setting.package.id} where it runs, connected to ${this.#place}`;
      this.#peer.drop(id, new HostError('upstream_failed', words, { hint }));
      return;
    }
    this.#heard();
    this.#peer.receive(message.string(), message.data.length);
  }

  /** Something came from it, so it is there; silence begins anew. */
  #heard(): void {
    if (this.#over) return;
    clearTimeout(this.#silence);
    this.#silence = setTimeout(() => void this.#probe(), missedHeartbeats * this.#times.heartbeat);
    this.#silence.unref();
  }

  /** Not a sign of life for a while: one that answers all the same is there, whatever it forgets to say. */
  async #probe(): Promise<void> {
    const signal = unstoppable;
    const patience = { timeoutMs: this.#times.heartbeat, signal };
    const asked = { method: 'tools/list', params: {}, name: this.#who, bytes: 0 };
    const alive = await this.#peer.ask({ ...asked, ...patience }).then(
      () => true,
      (error) => error instanceof RpcFailure || (error as HostError).code === 'output_too_large',
    );
    const seconds = (missedHeartbeats * this.#times.heartbeat) / 1000;
    if (!alive) this.#gone('unreachable', `${this.#who} gave no sign of life for ${seconds} s`);
  }

  #announced(message: Msg): void {
    const card = cardOf(message);
    const { id } = this.#setting.package;
    if (card.id !== id || (card.subject_prefix ?? this.#prefix) !== this.#prefix) return;
    this.#heard();
    const version = typeof card.version === 'string' ? card.version.slice(0, 64) : undefined;
    if (version === undefined || version === this.#version || this.#over) return;
    if (this.#version === undefined) {
      this.#version = version;
      return;
    }
    this.#over = true;
    clearTimeout(this.#silence);
    this.#journal.write(`version ${version} takes the place of ${this.#version}`);
    this.#end({ kind: 'asked', reason: `version ${version} of ${this.#who} takes its place` });
    // Whoever asks next connects anew, and what it says then is compared like at any start. What was asked before may still
    // be answered; after that nobody needs this connection.
    this.#farewell = setTimeout(() => void this.#disconnect(), longestCall);
    this.#farewell.unref();
    if (this.#peer.open === 0) void this.#disconnect();
  }

  #goodbye(message: Msg): void {
    const { reason } = cardOf(message);
    const why = typeof reason === 'string' && reason.trim() !== '' ? `: ${reason.slice(0, 200)}` : '';
    this.#gone('exited', `${this.#who} says that it stops${why}`);
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
      if (type === 'reconnect') this.#connected = true;
    }
    this.#gone('unreachable', `the connection to the NATS server at ${this.#place} was closed`);
  }

  async #disconnect(): Promise<void> {
    clearTimeout(this.#silence);
    clearTimeout(this.#farewell);
    this.#journal.close();
    if (!this.#connection.isClosed()) await this.#connection.close();
  }
}

function cardOf(message: Msg): JsonObject {
  try {
    const card: unknown = JSON.parse(message.string());
    const inner: unknown = typeof card === 'string' ? JSON.parse(card) : card;
    return isObject(inner) ? inner : {};
  } catch {
    return {};
  }
}
