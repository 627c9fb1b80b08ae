import { HostError } from '../../model/host-error.js';
import { isObject, type Json, type JsonObject } from '../../model/json.js';
import type {
  CallerContext,
  Deadline,
  UpstreamAnnouncement,
  UpstreamEnd,
  UpstreamSettings,
} from '../upstream/upstream.js';
import { type Ask, answerTo, type Knowledge } from './asked.js';
import { envelope, type NegotiatedRevision, negotiateRevision } from './handshake.js';
import { announcementOf } from './lists.js';
import { asFailure, Peer, type Question } from './peer.js';
import type { Receiver, Transport } from './transport.js';

/** How long a server that let a call run out of time has to show that it is there. */
const aliveMs = 5000;
/** Changes that come together are told once. */
const changeMs = 100;

export type OpenTransport = (receiver: Receiver) => Promise<Transport>;

/** The conversation behind a server: its transport, what it asks, and what it tells. */
export class Link {
  readonly ended: Promise<UpstreamEnd>;
  readonly #setting: UpstreamSettings;
  readonly #knowledge: Knowledge;
  readonly #open: OpenTransport;
  readonly #peer: Peer;
  readonly #asks = new Map<number, Ask>();
  readonly #stop = new AbortController();
  readonly #settle: (end: UpstreamEnd) => void;
  #transport: Transport | undefined;
  #isUp = false;
  #changing: NodeJS.Timeout | undefined;
  #alive: Promise<void> | undefined;
  #era: NegotiatedRevision['era'] = '2025';

  constructor(setting: UpstreamSettings, knowledge: Knowledge, open: OpenTransport) {
    this.#setting = setting;
    this.#knowledge = knowledge;
    this.#open = open;
    let settle: (end: UpstreamEnd) => void = () => {};
    this.ended = new Promise((resolve) => {
      settle = resolve;
    });
    this.#settle = settle;
    this.#peer = new Peer({
      onRequest: (method, params) => answerTo(method, params, knowledge, this.#soleAsk()),
      onNotification: (method, params) => this.#told(method, params),
      onLog: setting.onLog,
      onEnd: (end) => this.#over(end),
    });
  }

  async connect(): Promise<{ understanding: NegotiatedRevision; announced: UpstreamAnnouncement }> {
    const { timeoutMs, signal, prior, agentVersion } = this.#setting;
    const started = performance.now();
    const name = this.#name;
    const understanding = await negotiateRevision(this.#peer, {
      name,
      client: { name: 'toolwharf', version: agentVersion },
      capabilities: this.#capabilities,
      prior,
      timeoutMs,
      signal,
      transport: await this.#start(),
      again: () => this.#start(),
    });
    this.#era = understanding.era;
    this.#carry(understanding.era);
    const left = Math.max(1, timeoutMs - (performance.now() - started));
    const announced = await this.announce(understanding, { timeoutMs: left, signal });
    this.#isUp = true;
    return { understanding, announced };
  }

  announce(
    understanding: NegotiatedRevision,
    { timeoutMs, signal }: Deadline,
  ): Promise<UpstreamAnnouncement> {
    const { onLog } = this.#setting;
    return announcementOf(this.#peer, understanding, { name: this.#name, timeoutMs, signal, onLog });
  }

  /** Servers of the newer era tell of changes only to those who asked for it. */
  listen({ era, capabilities }: NegotiatedRevision): void {
    if (era !== '2026') return;
    const lists = ['tools', 'prompts', 'resources'].filter((it) => {
      const declared = capabilities[it];
      return isObject(declared) && declared.listChanged === true;
    });
    if (lists.length === 0) return;
    const notifications = Object.fromEntries(lists.map((it) => [`${it}ListChanged`, true]));
    const question = {
      method: 'subscriptions/listen',
      params: { notifications },
      name: this.#name,
      // The longest that a timer can wait.
      timeoutMs: 2 ** 31 - 1,
      signal: this.#stop.signal,
    };
    this.#peer.ask(question).catch((error: unknown) => {
      if (!this.#stop.signal.aborted)
        this.#setting.onLog(`changes of ${this.#name} are not heard of: ${(error as Error).message}`);
    });
  }

  async ask(question: Question, ask: Ask): Promise<JsonObject> {
    let sent: number | undefined;
    const onSent = (id: number) => {
      sent = id;
      this.#asks.set(id, ask);
    };
    try {
      return await this.#peer.ask({ ...question, onSent });
    } catch (error) {
      if (error instanceof HostError && error.code === 'timeout') this.#checkAlive();
      throw asFailure(error, question.name);
    } finally {
      if (sent !== undefined) this.#asks.delete(sent);
    }
  }

  /** What a result of the newer era asks for, by the same rules as the requests of the older one. */
  async answers(result: JsonObject, ask: Ask, name: string): Promise<JsonObject> {
    const { inputRequests, requestState } = result;
    const given: Record<string, Json> = {};
    for (const [key, wanted] of Object.entries(isObject(inputRequests) ? inputRequests : {})) {
      if (!isObject(wanted)) continue;
      const params = isObject(wanted.params) ? wanted.params : {};
      try {
        given[key] = await answerTo(String(wanted.method), params, this.#knowledge, ask);
      } catch (error) {
        if (error instanceof HostError) throw error;
        throw new HostError('tool_failed', `${name} cannot go on: ${(error as Error).message}`);
      }
    }
    return { inputResponses: given, ...(requestState === undefined ? {} : { requestState }) };
  }

  /** Who is calling, for a server that its manifest wants to know it; written here, so that no caller can. */
  context({ agentId, sessionId }: CallerContext): JsonObject {
    const { callerContext } = this.#setting.program;
    return callerContext ? { _meta: { agent_id: agentId, session_id: sessionId } } : {};
  }

  refused(): string[] {
    return this.#transport?.refused() ?? [];
  }

  async close(end: UpstreamEnd): Promise<void> {
    this.#stop.abort();
    await this.#transport?.close(end);
    this.#over(end);
  }

  kill(): void {
    this.#stop.abort();
    this.#transport?.kill();
  }

  get #name(): string {
    return `${this.#setting.package.id}/${this.#setting.program.name}`;
  }

  async #start(): Promise<Transport> {
    let opened: Transport | undefined;
    const transport = await this.#open({
      text: (text) => this.#peer.text(text),
      ended: (end, error) => {
        // The end of one that was replaced is no news.
        if (opened === undefined || opened === this.#transport) this.#peer.ended(end, error);
      },
    });
    opened = transport;
    this.#transport = transport;
    this.#peer.use(transport);
    return transport;
  }

  /** A question is always answered, if only by declining it. */
  get #capabilities(): JsonObject {
    return { ...(this.#knowledge.roots.length === 0 ? {} : { roots: {} }), elicitation: { form: {} } };
  }

  #carry(era: NegotiatedRevision['era']): void {
    const client = { name: 'toolwharf', version: this.#setting.agentVersion };
    this.#peer.carry(era === '2026' ? envelope(client, this.#capabilities) : undefined);
  }

  /** A server of the older era does not say for which call it asks; with more than one under way nobody is asked. */
  #soleAsk(): Ask {
    const open = [...this.#asks.values()];
    return open.length === 1 ? open[0] : undefined;
  }

  #told(method: string, params: JsonObject): void {
    if (/^notifications\/(?:tools|prompts|resources)\/list_changed$/.test(method)) this.#changed();
    else if (method === 'notifications/message') this.#setting.onLog(logLine(params));
  }

  #changed(): void {
    this.#changing ??= setTimeout(() => {
      this.#changing = undefined;
      if (!this.#stop.signal.aborted) this.#setting.onChange();
    }, changeMs);
  }

  /** A call that ran out of time may have been too much, or the server hangs: then it is of no use to anybody. */
  #checkAlive(): void {
    const question = {
      method: this.#era === '2026' ? 'server/discover' : 'ping',
      params: {},
      name: this.#name,
      timeoutMs: aliveMs,
      signal: this.#stop.signal,
    };
    this.#alive ??= this.#peer
      .ask(question)
      .then(
        () => {},
        (error: unknown) => {
          if (error instanceof HostError && error.code === 'timeout')
            void this.close({ kind: 'unreachable', reason: 'it does not answer any more' });
        },
      )
      .finally(() => {
        this.#alive = undefined;
      });
  }

  #over(end: UpstreamEnd): void {
    // A server that goes while it is being reached is told of by the error of reaching it.
    if (!this.#isUp && end.kind !== 'asked') return;
    clearTimeout(this.#changing);
    this.#stop.abort();
    this.#settle(end);
  }
}

function logLine({ level, data }: JsonObject): string {
  const words = typeof data === 'string' ? data : JSON.stringify(data ?? null);
  return `[${typeof level === 'string' ? level.slice(0, 20) : 'info'}] ${words.slice(0, 4000)}`;
}
