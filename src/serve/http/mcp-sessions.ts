import { createHash, randomBytes } from 'node:crypto';
import type { JsonObject } from '../../model/json.js';
import { LiveMap } from '../../model/live-map.js';
import { ByteBudget } from '../../wire/byte-budget.js';
import type { RequestId } from '../mcp/json-rpc.js';
import type { McpServer, Session2025 } from '../mcp/server.js';
import type { HttpCaller } from './callers.js';
import { HttpError } from './http-error.js';
import type { McpResponse } from './mcp-response.js';
import { ReplayStreams } from './replay-streams.js';
import type { HttpServerLimits } from './server-limits.js';

/** The session of one client of the 2025 era. */
export interface McpSession {
  /** The `Mcp-Session-Id`. Only the client knows it. */
  readonly secret: string;
  /** Shown in lists. It does not give access to the session. */
  readonly id: string;
  readonly caller: HttpCaller;
  readonly session: Session2025;
  /** Responses in progress, by request id. */
  readonly pendingResponses: LiveMap<RequestId, McpResponse>;
  /** Streams of the client, also those whose connection broke. */
  readonly streams: ReplayStreams;
  readonly createdAt: number;
  usedAt: number;
}

/** Characters of the random part of a secret. After it comes the mark under which the session keeps what it has seen. */
const randomLength = 43;
const markFormat = /^[0-9a-f]{16}$/;
/** How long a client that lost its session may take to open another one. */
const reopenMs = 60_000;

/** First revision with events that have no message. */
const firstPrimed = '2025-11-25';

export interface McpSessionsOptions {
  readonly limits: HttpServerLimits;
  readonly now: () => number;
}

/** MCP sessions by secret. Each is bound to the token that opened it. */
export class McpSessions {
  readonly #options: McpSessionsOptions;
  readonly #sessions = new Map<string, McpSession>();
  readonly #replayBudget: ByteBudget;
  /** By caller: the mark of a session that it named and that is not open, and until when it counts. */
  readonly #lost = new Map<string, { readonly mark: string; readonly until: number }>();

  constructor(options: McpSessionsOptions) {
    this.#options = options;
    const { replayBytesPerToken: perOwner, replayBytes: total } = options.limits;
    this.#replayBudget = new ByteBudget({ perOwner, total });
  }

  get size(): number {
    return this.#sessions.size;
  }

  /** Opens a session. At the limit, it ends an idle session of the same caller, never of another one. */
  open(caller: HttpCaller, server: McpServer): McpSession {
    const { sessions, sessionsPerToken, resumeMs } = this.#options.limits;
    const own = this.ownedBy(caller);
    if (own.length >= sessionsPerToken || this.#sessions.size >= sessions) {
      const idle = own.filter((it) => !isSessionInUse(it)).sort((a, b) => a.usedAt - b.usedAt)[0];
      if (idle === undefined)
        throw new HttpError(429, 'rate_limited', 'too many MCP sessions are open', {
          hint: 'end some of them: DELETE /mcp with their Mcp-Session-Id',
          headers: { 'retry-after': '10' },
        });
      this.end(idle);
    }
    const random = randomBytes(32).toString('base64url');
    const lost = this.#lost.get(caller.id);
    // The conversation goes on, so what it has seen still counts.
    const isContinued = lost !== undefined && lost.until > performance.now();
    const mark = isContinued ? lost.mark : createHash('sha256').update(random).digest('hex').slice(0, 16);
    const secret = `${random}${mark}`;
    const id = createHash('sha256').update(secret).digest('hex').slice(0, 16);
    const session: McpSession = {
      secret,
      id,
      caller,
      session: server.session2025({
        send: (message, about) => deliver(session, message, about),
        sessionName: `mcp ${mark}`,
      }),
      pendingResponses: new LiveMap(),
      streams: new ReplayStreams({
        share: this.#replayBudget.open(caller.id),
        resumeMs,
        isPrimed: () => session.session.revision >= firstPrimed,
      }),
      createdAt: this.#options.now(),
      usedAt: performance.now(),
    };
    this.#sessions.set(secret, session);
    return session;
  }

  /**
   * Undefined if the session is unknown, has ended, or belongs to another token. The client then opens another one, in the
   * same conversation: after a restart of the host, or because it was idle for long.
   */
  find(caller: HttpCaller, secret: string): McpSession | undefined {
    const found = this.#sessions.get(secret);
    if (found === undefined || found.caller !== caller) {
      const mark = secret.slice(randomLength);
      if (markFormat.test(mark)) this.#lost.set(caller.id, { mark, until: performance.now() + reopenMs });
      return undefined;
    }
    found.usedAt = performance.now();
    return found;
  }

  ownedBy(caller: HttpCaller): readonly McpSession[] {
    return this.all().filter((it) => it.caller === caller);
  }

  all(): readonly McpSession[] {
    return [...this.#sessions.values()];
  }

  end(session: McpSession): void {
    if (!this.#sessions.delete(session.secret)) return;
    session.session.close();
    session.streams.close();
  }

  sweep(): void {
    const oldest = performance.now() - this.#options.limits.sessionIdleMs;
    for (const [caller, { until }] of this.#lost) if (until < performance.now()) this.#lost.delete(caller);
    for (const it of this.all()) {
      if (it.caller.revoked.aborted || (!isSessionInUse(it) && it.usedAt < oldest)) this.end(it);
    }
  }

  close(): void {
    for (const it of this.all()) this.end(it);
  }
}

export function isSessionInUse(session: McpSession): boolean {
  return session.streams.general?.isConnected === true || session.pendingResponses.size > 0;
}

/** Sends a server message on the stream it belongs to. A request that cannot be delivered is answered with an error. */
function deliver(to: McpSession, message: JsonObject, about: RequestId | undefined): void {
  const text = JSON.stringify(message);
  const { id, method } = message;
  const isRequest = typeof method === 'string' && (typeof id === 'string' || typeof id === 'number');
  const isNeeded = isRequest || method === 'notifications/cancelled';
  if (about !== undefined && to.pendingResponses.get(about)?.sendEarly(text, isNeeded) === true) return;
  const { general } = to.streams;
  if (general?.isConnected === true || general?.isResumable === true) {
    general.send(text, isNeeded);
    return;
  }
  if (isRequest) {
    queueMicrotask(() => {
      to.session.receive({ kind: 'response', id, result: undefined }).catch(() => {});
    });
  }
}
