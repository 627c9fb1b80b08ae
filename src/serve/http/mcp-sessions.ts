import { createHash, randomBytes } from 'node:crypto';
import type { JsonObject } from '../../model/json.js';
import type { RequestId } from '../mcp/json-rpc.js';
import type { McpServer, Session2025 } from '../mcp/server.js';
import type { HttpCaller } from './callers.js';
import type { EventStream } from './event-stream.js';
import { HttpError } from './http-error.js';
import type { McpResponse } from './mcp-response.js';
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
  readonly pendingResponses: Map<RequestId, McpResponse>;
  /** The client's stream for messages that belong to no request. */
  stream: EventStream | undefined;
  readonly createdAt: number;
  usedAt: number;
}

export interface McpSessionsOptions {
  readonly limits: HttpServerLimits;
  readonly now: () => number;
}

/** MCP sessions by secret. Each is bound to the token that opened it. */
export class McpSessions {
  readonly #options: McpSessionsOptions;
  readonly #sessions = new Map<string, McpSession>();

  constructor(options: McpSessionsOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#sessions.size;
  }

  /** Opens a session. At the limit, it ends an idle session of the same caller, never of another one. */
  open(caller: HttpCaller, server: McpServer): McpSession {
    const { sessions, sessionsPerToken } = this.#options.limits;
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
    const secret = randomBytes(32).toString('base64url');
    const session: McpSession = {
      secret,
      id: createHash('sha256').update(secret).digest('hex').slice(0, 16),
      caller,
      session: server.session2025({ send: (message, about) => deliver(session, message, about) }),
      pendingResponses: new Map(),
      stream: undefined,
      createdAt: this.#options.now(),
      usedAt: performance.now(),
    };
    this.#sessions.set(secret, session);
    return session;
  }

  /** Undefined if the session is unknown, has ended, or belongs to another token. */
  find(caller: HttpCaller, secret: string): McpSession | undefined {
    const found = this.#sessions.get(secret);
    if (found === undefined || found.caller !== caller) return undefined;
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
    session.stream?.end();
  }

  sweep(): void {
    const oldest = performance.now() - this.#options.limits.sessionIdleMs;
    for (const it of this.all()) {
      if (it.caller.revoked.aborted || (!isSessionInUse(it) && it.usedAt < oldest)) this.end(it);
    }
  }

  close(): void {
    for (const it of this.all()) this.end(it);
  }
}

export function isSessionInUse(session: McpSession): boolean {
  return session.stream !== undefined || session.pendingResponses.size > 0;
}

/** Sends a server message on the stream it belongs to. A request that cannot be delivered is answered with an error. */
function deliver(to: McpSession, message: JsonObject, about: RequestId | undefined): void {
  const text = JSON.stringify(message);
  if (about !== undefined && to.pendingResponses.get(about)?.sendEarly(text) === true) return;
  if (to.stream !== undefined) {
    to.stream.send(text);
    return;
  }
  const { id } = message;
  if (typeof message.method === 'string' && (typeof id === 'string' || typeof id === 'number')) {
    queueMicrotask(() => {
      to.session.receive({ kind: 'response', id, result: undefined }).catch(() => {});
    });
  }
}
