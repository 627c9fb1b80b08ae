import { createHash, timingSafeEqual } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Host, Session, SessionOptions, TokenEntry, TokenRole } from '../../host/host.js';
import type { HttpLimits } from './limits.js';
import { Refusal } from './refusal.js';

/** A token that is good for this start only and is kept nowhere. */
export interface StartToken {
  readonly name: string;
  readonly role: TokenRole;
  readonly token: string;
}

/** Whoever comes in with one token. */
export interface Caller {
  readonly id: string;
  readonly name: string;
  readonly role: TokenRole;
  readonly principal: string;
  /** Opened on first use and shared by all requests of the token. */
  session(): Promise<Session>;
  /** Aborted when the token is no longer good. */
  readonly revoked: AbortSignal;
}

interface Known extends Caller {
  readonly sockets: Set<Socket>;
  readonly leave: AbortController;
  expiresAt: number | null;
  open: Promise<Session> | undefined;
  active: number;
}

export interface CallersOptions {
  readonly session: Omit<SessionOptions, 'principal'>;
  readonly startTokens: readonly StartToken[];
  readonly limits: HttpLimits;
  readonly now: () => number;
}

/** Knows callers by their tokens, opens one session for each, and keeps each within its bounds. */
export class Callers {
  readonly #host: Host;
  readonly #options: CallersOptions;
  readonly #start: readonly { digest: Buffer; entry: TokenEntry }[];
  readonly #known = new Map<string, Known>();

  constructor(host: Host, options: CallersOptions) {
    this.#host = host;
    this.#options = options;
    this.#start = options.startTokens.map(({ name, role, token }) => ({
      digest: digestOf(token),
      entry: { id: `start:${name}`, name, role, createdAt: options.now(), expiresAt: null },
    }));
    // Their names are taken before any stored token can claim them.
    for (const { entry } of this.#start) this.#learn(entry);
  }

  /** The caller of a request; 401 without a good token. */
  async identify(request: IncomingMessage): Promise<Caller> {
    const token = /^Bearer ([\x21-\x7e]{1,512})$/i.exec(request.headers.authorization ?? '')?.[1];
    const entry = token === undefined ? undefined : await this.#check(token);
    if (entry === undefined) {
      throw new Refusal(401, 'auth_required', 'this needs a token: Authorization: Bearer TOKEN', {
        hint: '"toolport serve" prints one for each start; "toolport token create NAME" makes one that stays',
        headers: { 'www-authenticate': 'Bearer realm="toolport"' },
      });
    }
    const caller = this.#known.get(entry.id) ?? this.#learn(entry);
    caller.expiresAt = entry.expiresAt;
    return caller;
  }

  /** Counts a request against its token; returns how to say that it is over. */
  enter(caller: Caller, socket: Socket): () => void {
    const known = this.#known.get(caller.id);
    if (known === undefined) throw new Refusal(401, 'auth_required', 'the token was revoked');
    const { connectionsPerToken, requestsPerToken } = this.#options.limits;
    if (!known.sockets.has(socket) && known.sockets.size >= connectionsPerToken)
      throw tooMany('connections', { connection: 'close' });
    if (known.active >= requestsPerToken) throw tooMany('requests under way', {});
    if (!known.sockets.has(socket)) {
      known.sockets.add(socket);
      socket.once('close', () => known.sockets.delete(socket));
    }
    known.active++;
    return () => {
      known.active--;
    };
  }

  /** Whoever holds a token that was revoked or has expired loses what is still open. */
  async sweep(): Promise<void> {
    const stored = new Map((await this.#host.tokens.list()).map((it) => [it.id, it]));
    const now = this.#options.now();
    for (const [id, known] of this.#known) {
      if (id.startsWith('start:')) continue;
      const { expiresAt } = stored.get(id) ?? { expiresAt: 0 };
      if (expiresAt !== null && expiresAt <= now) this.#forget(known);
    }
  }

  async close(): Promise<void> {
    for (const known of this.#known.values()) {
      known.leave.abort();
      await known.open?.then(
        (session) => session.close(),
        () => {},
      );
    }
    this.#known.clear();
  }

  async #check(token: string): Promise<TokenEntry | undefined> {
    const digest = digestOf(token);
    for (const it of this.#start) if (timingSafeEqual(it.digest, digest)) return it.entry;
    return this.#host.tokens.check(token);
  }

  #learn(entry: TokenEntry): Known {
    const { id, name, role, expiresAt } = entry;
    // Two tokens of one name must not answer for each other.
    const taken = [...this.#known.values()].some((it) => it.name === name);
    const principal = taken ? `http/${name}#${id}` : `http/${name}`;
    const leave = new AbortController();
    // Every request under way listens to it.
    setMaxListeners(0, leave.signal);
    const known: Known = {
      id,
      name,
      role,
      principal,
      expiresAt,
      leave,
      revoked: leave.signal,
      sockets: new Set(),
      active: 0,
      open: undefined,
      session: () => {
        known.open ??= this.#host.session({ ...this.#options.session, principal }).catch((error) => {
          known.open = undefined;
          throw error;
        });
        return known.open;
      },
    };
    this.#known.set(id, known);
    return known;
  }

  #forget(known: Known): void {
    this.#known.delete(known.id);
    known.leave.abort();
    for (const socket of known.sockets) socket.destroy();
    known.open?.then(
      (session) => session.close(),
      () => {},
    );
  }
}

function tooMany(what: string, headers: Readonly<Record<string, string>>): Refusal {
  return new Refusal(429, 'rate_limited', `this token has too many ${what}`, {
    hint: 'wait until some have ended',
    headers: { 'retry-after': '1', ...headers },
  });
}

function digestOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
