import { appExtension, appSettings } from '../../model/app-resource.js';
import { HostError } from '../../model/host-error.js';
import { isObject, type JsonObject } from '../../model/json.js';
import { withoutReservedMeta } from '../../model/reserved-meta.js';
import { tasksExtension } from '../../model/tasks-extension.js';
import { internalError } from '../../wire/rpc-code.js';
import { RpcFailure } from '../rpc/rpc-failure.js';
import { RpcPeer } from '../rpc/rpc-peer.js';
import type { AskedClient, CallLogging } from '../run.js';
import type {
  Deadline,
  UpstreamAnnouncement,
  UpstreamCall,
  UpstreamEnd,
  UpstreamSettings,
} from '../upstream/upstream.js';
import { fetchAnnouncement } from './announcement.js';
import { announcedCapabilities, capabilitiesMeta } from './client-capabilities.js';
import { type NegotiatedRevision, negotiateRevision, requestMeta } from './handshake.js';
import { answerInputRequests } from './input-requests.js';
import { LogMessages, logLevelKey, logLine } from './log-messages.js';
import { type McpPeer, type McpRequest, mcpDialect, toHostError } from './mcp-dialect.js';
import { OpenQuestions } from './open-questions.js';
import { ResourceSubscriptions } from './resource-subscriptions.js';
import { answerServerRequest, type ClientContext } from './server-requests.js';
import type { Receiver, Transport } from './transport.js';

/** How long a server may take to answer a ping after a call timed out. */
const aliveMs = 5000;
/** Change notifications within this time are reported once. */
const changeMs = 100;

export type OpenTransport = (receiver: Receiver) => Promise<Transport>;

/** The connection to one server: its transport, its requests and its notifications. */
export class McpConnection {
  readonly ended: Promise<UpstreamEnd>;
  readonly #settings: UpstreamSettings;
  readonly #context: ClientContext;
  readonly #open: OpenTransport;
  readonly #peer: McpPeer;
  readonly subscriptions: ResourceSubscriptions;
  readonly #questions = new OpenQuestions();
  readonly #messages = new LogMessages();
  readonly #stop = new AbortController();
  readonly #settle: (end: UpstreamEnd) => void;
  #transport: Transport | undefined;
  #requestMeta: JsonObject | undefined;
  #isUp = false;
  #changeTimer: NodeJS.Timeout | undefined;
  #alive: Promise<void> | undefined;
  #era: NegotiatedRevision['era'] = '2025';

  constructor(settings: UpstreamSettings, context: ClientContext, open: OpenTransport) {
    this.#settings = settings;
    this.#context = context;
    this.#open = open;
    let settle: (end: UpstreamEnd) => void = () => {};
    this.ended = new Promise((resolve) => {
      settle = resolve;
    });
    this.#settle = settle;
    const dialect = mcpDialect(() => this.#requestMeta);
    this.#peer = new RpcPeer<McpRequest, JsonObject>(dialect, {
      onRequest: (method, params) => this.#answer(method, params),
      onNotification: (method, params) => this.#receiveNotification(method, params),
      onLog: settings.onLog,
      onFlood: (kind) => {
        const what = kind === 'invalid' ? 'wrote invalid messages' : 'sent too many unrequested messages';
        void this.#transport?.close({ kind: 'protocol-error', reason: `it ${what}` });
      },
    });
    this.subscriptions = new ResourceSubscriptions(this.#peer, this.#name);
  }

  async connect(): Promise<{ negotiated: NegotiatedRevision; announced: UpstreamAnnouncement }> {
    const { timeoutMs, signal, lastRevision, agentVersion } = this.#settings;
    const started = performance.now();
    const negotiated = await negotiateRevision(this.#peer, {
      name: this.#name,
      client: { name: 'toolwharf', version: agentVersion },
      capabilities: this.#capabilities,
      lastRevision,
      timeoutMs,
      signal,
      transport: await this.#start(),
      reconnect: () => this.#start(),
    });
    this.#era = negotiated.era;
    this.#setRequestMeta(negotiated.era);
    const left = Math.max(1, timeoutMs - (performance.now() - started));
    const announced = await this.announce(negotiated, { timeoutMs: left, signal });
    this.#isUp = true;
    return { negotiated, announced };
  }

  announce(negotiated: NegotiatedRevision, { timeoutMs, signal }: Deadline): Promise<UpstreamAnnouncement> {
    const { onLog } = this.#settings;
    return fetchAnnouncement(this.#peer, negotiated, { name: this.#name, timeoutMs, signal, onLog });
  }

  /** Subscribes to changes; servers of the 2026 era notify only subscribers. */
  listen({ era, capabilities }: NegotiatedRevision): void {
    if (era !== '2026') return;
    const lists = ['tools', 'prompts', 'resources'].filter((it) => {
      const declared = capabilities[it];
      return isObject(declared) && declared.listChanged === true;
    });
    if (lists.length === 0) return;
    const notifications = Object.fromEntries(lists.map((it) => [`${it}ListChanged`, true]));
    const request = {
      method: 'subscriptions/listen',
      params: { notifications },
      name: this.#name,
      // The maximum of a timer.
      timeoutMs: 2 ** 31 - 1,
      signal: this.#stop.signal,
    };
    this.#peer.request(request).catch((error: unknown) => {
      if (!this.#stop.signal.aborted)
        this.#settings.onLog(`cannot subscribe to changes of ${this.#name}: ${(error as Error).message}`);
    });
  }

  async request(request: McpRequest, client: AskedClient): Promise<JsonObject> {
    const leave = this.#questions.enter(request.subject, client);
    try {
      return await this.#peer.request(request);
    } catch (error) {
      if (error instanceof HostError && error.code === 'timeout') this.#checkAlive();
      throw toHostError(error, request.name);
    } finally {
      leave();
    }
  }

  /** Answers the input requests of a result of the 2026 era. */
  answerInputRequests(result: JsonObject, client: AskedClient, name: string): Promise<JsonObject> {
    return answerInputRequests(result, this.#context, client, name);
  }

  /**
   * The caller, for a server whose manifest requests it, and the key of a call that may be tried again. Set here, so that
   * a caller cannot forge them.
   */
  callMeta({ caller, idempotencyKey, logging, meta: given = {} }: UpstreamCall): JsonObject {
    const { callerContext } = this.#settings.program;
    const meta = {
      ...withoutCaller(withoutReservedMeta(given)),
      ...(callerContext ? { agent_id: caller.agentId, session_id: caller.sessionId } : {}),
      ...(idempotencyKey === undefined ? {} : { 'toolwharf/idempotency-key': idempotencyKey }),
      ...(logging === undefined || this.#era !== '2026' ? {} : { [logLevelKey]: logging.level }),
    };
    return Object.keys(meta).length === 0 ? {} : { _meta: meta };
  }

  /** The same for a read, which has no caller and is never tried again. */
  readMeta({ logging, meta: given = {} }: Pick<AskedClient, 'logging' | 'meta'>): JsonObject {
    const level = logging === undefined || this.#era !== '2026' ? {} : { [logLevelKey]: logging.level };
    const meta = { ...withoutCaller(withoutReservedMeta(given)), ...level };
    return Object.keys(meta).length === 0 ? {} : { _meta: meta };
  }

  /** Passes log messages to a call or read that wants them. Returns a function to call when the call has ended. */
  async startLogging(
    { era, capabilities }: NegotiatedRevision,
    { timeoutMs, signal }: Deadline,
    logging: CallLogging,
  ): Promise<() => void> {
    const stop = this.#messages.enter(logging);
    if (era === '2025' && isObject(capabilities.logging) && this.#messages.raises(logging.level)) {
      const params = { level: logging.level };
      const request = { method: 'logging/setLevel', params, name: this.#name, timeoutMs, signal };
      // A server that rejects the level logs as it likes.
      await this.#peer.request(request).catch(() => {});
    }
    return stop;
  }

  takeContactedHosts(): readonly string[] | undefined {
    return this.#transport?.takeContactedHosts();
  }

  takeDeniedHosts(): string[] {
    return this.#transport?.takeDeniedHosts() ?? [];
  }

  async close(end: UpstreamEnd): Promise<void> {
    this.#stop.abort();
    await this.#transport?.close(end);
    this.#handleEnd(end);
  }

  kill(): void {
    this.#stop.abort();
    this.#transport?.kill();
  }

  get #name(): string {
    return `${this.#settings.package.id}/${this.#settings.program.name}`;
  }

  async #start(): Promise<Transport> {
    let opened: Transport | undefined;
    const transport = await this.#open({
      receive: (text, bytes) => this.#peer.receive(text, bytes),
      receiveExcess: (excess, head, bytes) => this.#peer.receiveExcess(excess, head, bytes),
      ended: (end, error) => {
        // Ignores the end of a replaced transport.
        const isCurrent = opened === undefined || opened === this.#transport;
        if (isCurrent && this.#peer.end(error)) this.#handleEnd(end);
      },
    });
    opened = transport;
    this.#transport = transport;
    this.#peer.connect(transport);
    return transport;
  }

  get #capabilities(): JsonObject {
    return announcedCapabilities(this.#context, this.#settings.serverRequests);
  }

  /** The `_meta` of a request of the 2026 era says what the client of this call has. Undefined: nothing to say. */
  clientMeta(client: AskedClient): JsonObject | undefined {
    return this.#era === '2026' ? capabilitiesMeta(this.#context, client) : undefined;
  }

  /** A server of the 2025 era asks something. What the host refuses is an error with the reason. */
  async #answer(method: string, params: JsonObject): Promise<JsonObject> {
    try {
      return await answerServerRequest(method, params, this.#context, this.#questions.client);
    } catch (error) {
      throw error instanceof HostError ? new RpcFailure(internalError, error.message) : error;
    }
  }

  #setRequestMeta(era: NegotiatedRevision['era']): void {
    const client = { name: 'toolwharf', version: this.#settings.agentVersion };
    const extensions = { [appExtension]: appSettings, [tasksExtension]: {} };
    const capabilities = { ...this.#capabilities, extensions };
    this.#requestMeta = era === '2026' ? requestMeta(client, capabilities) : undefined;
  }

  #receiveNotification(method: string, params: JsonObject): void {
    if (/^notifications\/(?:tools|prompts|resources)\/list_changed$/.test(method)) this.#scheduleChange();
    else if (method === 'notifications/resources/updated') this.subscriptions.receiveUpdate(params);
    else if (method === 'notifications/subscriptions/acknowledged')
      this.subscriptions.receiveAgreement(params);
    else if (method === 'notifications/message') {
      this.#settings.onLog(logLine(params));
      this.#messages.receive(params);
    }
  }

  #scheduleChange(): void {
    this.#settings.onOutdated();
    this.#changeTimer ??= setTimeout(() => {
      this.#changeTimer = undefined;
      if (!this.#stop.signal.aborted) this.#settings.onChange();
    }, changeMs);
  }

  /** Checks after a timeout whether the server hangs, and closes the connection if so. */
  #checkAlive(): void {
    const request = {
      method: this.#era === '2026' ? 'server/discover' : 'ping',
      params: {},
      name: this.#name,
      timeoutMs: aliveMs,
      signal: this.#stop.signal,
    };
    this.#alive ??= this.#peer
      .request(request)
      .then(
        () => {},
        (error: unknown) => {
          if (error instanceof HostError && error.code === 'timeout')
            void this.close({ kind: 'unreachable', reason: 'it does not answer' });
        },
      )
      .finally(() => {
        this.#alive = undefined;
      });
  }

  #handleEnd(end: UpstreamEnd): void {
    // If the server exits during the handshake, `connect` reports the error.
    if (!this.#isUp && end.kind !== 'requested') return;
    clearTimeout(this.#changeTimer);
    this.#stop.abort();
    this.#settle(end);
  }
}

/** Without members that only the host sets. */
function withoutCaller({ agent_id, session_id, progressToken, ...rest }: JsonObject): JsonObject {
  return rest;
}
