import { createHash, randomBytes } from 'node:crypto';
import type { JsonObject } from '../../model/json.js';
import type { Front, Session2025 } from '../mcp/front.js';
import type { RequestId } from '../mcp/message.js';
import type { Answering } from './answering.js';
import type { Caller } from './callers.js';
import type { EventStream } from './event-stream.js';
import type { HttpLimits } from './limits.js';
import { Refusal } from './refusal.js';

/** One client of the 2025 era between its requests. */
export interface McpSession {
  /** Known to the client alone. */
  readonly secret: string;
  /** For lists; does not let anybody in. */
  readonly id: string;
  readonly caller: Caller;
  readonly session: Session2025;
  /** Answers under way, by the requests they belong to. */
  readonly answering: Map<RequestId, Answering>;
  /** The stream the client opened for what belongs to no request. */
  stream: EventStream | undefined;
  readonly createdAt: number;
  usedAt: number;
}

export interface McpSessionsOptions {
  readonly limits: HttpLimits;
  readonly now: () => number;
}

/** Sessions by their secrets. Each is bound to the token that opened it. */
export class McpSessions {
  readonly #options: McpSessionsOptions;
  readonly #sessions = new Map<string, McpSession>();

  constructor(options: McpSessionsOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#sessions.size;
  }

  /** Makes room among the caller's own sessions only. */
  open(caller: Caller, front: Front): McpSession {
    const { sessions, sessionsPerToken } = this.#options.limits;
    const own = this.of(caller);
    if (own.length >= sessionsPerToken || this.#sessions.size >= sessions) {
      const idle = own.filter((it) => !inUse(it)).sort((a, b) => a.usedAt - b.usedAt)[0];
      if (idle === undefined)
        throw new Refusal(429, 'rate_limited', 'there are too many sessions', {
          hint: 'end some with DELETE and their Mcp-Session-Id',
          headers: { 'retry-after': '10' },
        });
      this.end(idle);
    }
    const secret = randomBytes(32).toString('base64url');
    const made: McpSession = {
      secret,
      id: createHash('sha256').update(secret).digest('hex').slice(0, 16),
      caller,
      session: front.session2025({ send: (message, about) => deliver(made, message, about) }),
      answering: new Map(),
      stream: undefined,
      createdAt: this.#options.now(),
      usedAt: performance.now(),
    };
    this.#sessions.set(secret, made);
    return made;
  }

  /** Undefined for a session that is unknown, ended, or another token's. */
  find(caller: Caller, secret: string): McpSession | undefined {
    const found = this.#sessions.get(secret);
    if (found === undefined || found.caller !== caller) return undefined;
    found.usedAt = performance.now();
    return found;
  }

  of(caller: Caller): readonly McpSession[] {
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
      if (it.caller.revoked.aborted || (!inUse(it) && it.usedAt < oldest)) this.end(it);
    }
  }

  close(): void {
    for (const it of this.all()) this.end(it);
  }
}

export function inUse(session: McpSession): boolean {
  return session.stream !== undefined || session.answering.size > 0;
}

/** Puts a message of ours on the stream it belongs to. A question that nobody can hear is answered with a failure. */
function deliver(to: McpSession, message: JsonObject, about: RequestId | undefined): void {
  const text = JSON.stringify(message);
  if (about !== undefined && to.answering.get(about)?.tell(text) === true) return;
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
