import { HostError } from '../../model/host-error.js';
import type { ProgramTarget } from '../../model/program.js';
import type { HttpResponse } from '../../net/client.js';
import { platformSignal } from '../../net/platform-signal.js';
import { fillHeader } from '../fill.js';
import { excerpt } from '../output.js';
import type { UpstreamEnd, UpstreamSettings } from '../upstream/upstream.js';
import { Journal } from './journal.js';
import { type Asked, envelopeBytes, Peer, type Question } from './peer.js';
import type { Wire } from './wire.js';

type UrlTarget = Extract<ProgramTarget, { kind: 'url' }>;

/** Speaks with an extension that answers elsewhere: each question is a POST, its answer the response. */
export function openHttp(setting: UpstreamSettings, target: UrlTarget): Wire {
  return new Http(setting, target);
}

class Http implements Wire {
  readonly ended: Promise<UpstreamEnd>;
  readonly #setting: UpstreamSettings;
  readonly #target: UrlTarget;
  readonly #peer: Peer;
  readonly #journal: Journal;
  readonly #closing = new AbortController();
  readonly #refused = new Set<string>();
  #end: (end: UpstreamEnd) => void = () => {};

  constructor(setting: UpstreamSettings, target: UrlTarget) {
    this.#setting = setting;
    this.#target = target;
    this.#journal = new Journal(setting.onLog);
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
    this.#peer = new Peer({
      send: (text, asked) => {
        if (asked !== null) void this.#post(text, asked);
      },
      onLog: (line) => this.#journal.write(line),
      // What one response may hold is bounded by itself, and nothing comes without a question.
      onFlood: () => {},
    });
  }

  ask(question: Question) {
    return this.#peer.ask(question);
  }

  introduced(): void {}

  refusals(): readonly string[] {
    const refused = [...this.#refused];
    this.#refused.clear();
    return refused;
  }

  /** It was not started here, so it is not told to stop: others may be using it. */
  async close(reason: string): Promise<void> {
    const words = `the extension ${this.#setting.package.id} was let go: ${reason}`;
    this.#peer.end(new HostError('upstream_failed', words));
    this.#closing.abort();
    this.#journal.close();
    this.#end({ kind: 'asked', reason });
  }

  async #post(text: string, { id, question }: Asked): Promise<void> {
    const { client, reach } = this.#setting;
    try {
      const response = await client.send({
        method: 'POST',
        url: this.#target.url,
        headers: this.#headers(),
        body: text,
        reach,
        credential: this.#carriesSecret(),
        limits: { wallMs: question.timeoutMs, bodyBytes: question.bytes + envelopeBytes },
        signal: AbortSignal.any([platformSignal(question.signal), this.#closing.signal]),
        onRefused: (place) => this.#refused.add(place),
      });
      this.#receive(response);
      this.#peer.drop(id, unanswered(response, question));
    } catch (error) {
      this.#peer.drop(id, error as Error);
    }
  }

  /** One message; or several, one a line, where something else was printed around it. */
  #receive({ body }: HttpResponse): void {
    const text = body.toString('utf8');
    const whole = isJson(text);
    const lines = whole ? [text] : text.split('\n').filter((it) => it.trim() !== '');
    for (const line of lines) this.#peer.receive(line, Buffer.byteLength(line));
  }

  #headers(): Record<string, string> {
    const headers: Record<string, string> = {
      accept: 'application/json',
      'content-type': 'application/json',
      'user-agent': 'toolwharf',
    };
    const values = { input: {}, slots: this.#setting.slots };
    for (const { name, value } of this.#target.headers) {
      const filled = fillHeader(value, values, name);
      if (filled !== undefined) headers[name.toLowerCase()] = filled;
    }
    return headers;
  }

  #carriesSecret(): boolean {
    const { slots } = this.#setting;
    return this.#target.headers.some(({ value }) =>
      value.parts.some((it) => it.kind === 'slot' && slots.get(it.slot)?.secret === true),
    );
  }
}

function unanswered({ status, reason, body }: HttpResponse, { name }: Question): HostError {
  const text = body.toString('utf8');
  const words = text.trim() === '' ? 'nothing' : excerpt(text);
  if (status < 200 || status > 299)
    return new HostError('upstream_failed', `${name} was answered ${status} ${reason}`.trimEnd());
  return new HostError('tool_bad_output', `${name} was answered with ${words}, which is no answer to it`);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
