import { hash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Host, Session, SessionOptions, TokenRole } from '../../host/host.js';
import { type Signal, Stop } from '../../model/signal.js';
import { type DoorOptions, originOf } from './door.js';
import type { HttpLimits } from './limits.js';
import { challenge } from './oidc/protected-resource.js';
import { type Provider, WrongToken } from './oidc/provider.js';
import { Refusal } from './refusal.js';

/** A token that is good for this start only and is kept nowhere. */
export interface StartToken {
  readonly name: string;
  readonly role: TokenRole;
  readonly token: string;
}

/** Whom a token stands for. */
export interface Identity {
  readonly id: string;
  readonly name: string;
  readonly role: TokenRole;
  /** Milliseconds since 1970; null never expires. */
  readonly expiresAt: number | null;
  /** As whom calls are made. */
  readonly principal: string;
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
  readonly revoked: Signal;
}

interface Known extends Caller {
  readonly sockets: Set<Socket>;
  readonly leave: Stop;
  /** Requests under way, which end with the token. */
  readonly requests: Set<Stop>;
  expiresAt: number | null;
  open: Promise<Session> | undefined;
}

export interface CallersOptions {
  readonly session: Omit<SessionOptions, 'principal'>;
  readonly startTokens: readonly StartToken[];
  readonly provider?: Provider | undefined;
  readonly limits: HttpLimits;
  readonly now: () => number;
}

/** Knows callers by their tokens, opens one session for each, and keeps each within its bounds. */
export class Callers {
  readonly #host: Host;
  readonly #options: CallersOptions;
  readonly #start: readonly { digest: Buffer; entry: Identity }[];
  readonly #known = new Map<string, Known>();
  /** Tokens of this start, which nobody can revoke, by the connection that showed them: they are not looked at twice. */
  readonly #shown = new WeakMap<Socket, { readonly authorization: string; readonly caller: Known }>();

  constructor(host: Host, options: CallersOptions) {
    this.#host = host;
    this.#options = options;
    this.#start = options.startTokens.map(({ name, role, token }) => ({
      digest: digestOf(token),
      entry: { id: `start:${name}`, name, role, expiresAt: null, principal: `http/${name}` },
    }));
  }

  /** The caller of a request; 401 without a good token. */
  async identify(request: IncomingMessage, door: DoorOptions): Promise<Caller> {
    const { authorization = '' } = request.headers;
    const before = this.#shown.get(request.socket);
    if (before?.authorization === authorization) return before.caller;
    const token = /^Bearer ([\x21-\x7e]{1,8192})$/i.exec(authorization)?.[1];
    let entry: Identity | undefined;
    let why: string | undefined;
    try {
      entry = token === undefined ? undefined : await this.#check(token);
    } catch (error) {
      if (!(error instanceof WrongToken)) throw error;
      why = error.message;
    }
    if (entry === undefined) throw this.#unknown(request, door, why);
    const caller = this.#known.get(entry.id) ?? this.#learn(entry);
    // Of several tokens of one subject, the one that is good longest.
    if (entry.expiresAt === null || caller.expiresAt === null || entry.expiresAt > caller.expiresAt)
      caller.expiresAt = entry.expiresAt;
    if (entry.id.startsWith('start:')) this.#shown.set(request.socket, { authorization, caller });
    return caller;
  }

  #unknown(request: IncomingMessage, door: DoorOptions, why: string | undefined): Refusal {
    const { provider } = this.#options;
    const path = (request.url ?? '').split('?', 1)[0] ?? '';
    const own =
      '"toolwharf serve" prints one for each start; "toolwharf token create NAME" makes one that stays';
    return new Refusal(401, 'auth_required', why ?? 'this needs a token: Authorization: Bearer TOKEN', {
      hint:
        provider === undefined ? own : `sign in with ${provider.issuer} for a new one, or use one of ours`,
      headers: { 'www-authenticate': challenge(originOf(request, door), path, provider, why) },
    });
  }

  /** Counts a request against its token, which it ends with; returns how to say that it is over. */
  enter(caller: Caller, socket: Socket, request: Stop): () => void {
    const known = this.#known.get(caller.id);
    if (known === undefined) throw new Refusal(401, 'auth_required', 'the token was revoked');
    const { connectionsPerToken, requestsPerToken } = this.#options.limits;
    if (!known.sockets.has(socket) && known.sockets.size >= connectionsPerToken)
      throw tooMany('connections', { connection: 'close' });
    if (known.requests.size >= requestsPerToken) throw tooMany('requests under way', {});
    if (!known.sockets.has(socket)) {
      known.sockets.add(socket);
      socket.once('close', () => known.sockets.delete(socket));
    }
    known.requests.add(request);
    return () => {
      known.requests.delete(request);
    };
  }

  /** Whoever holds a token that was revoked or has expired loses what is still open. */
  async sweep(): Promise<void> {
    const stored = new Map((await this.#host.tokens.list()).map((it) => [it.id, it]));
    const now = this.#options.now();
    for (const [id, known] of this.#known) {
      if (id.startsWith('start:')) continue;
      const { expiresAt } = isSignedIn(id) ? known : (stored.get(id) ?? { expiresAt: 0 });
      if (expiresAt !== null && expiresAt <= now) this.#forget(known);
    }
  }

  async close(): Promise<void> {
    for (const known of this.#known.values()) {
      revoke(known);
      await known.open?.then(
        (session) => session.close(),
        () => {},
      );
    }
    this.#known.clear();
  }

  async #check(token: string): Promise<Identity | undefined> {
    const { provider } = this.#options;
    // None of our own tokens has a dot.
    if (provider !== undefined && token.includes('.')) return provider.check(token);
    const digest = digestOf(token);
    for (const it of this.#start) if (timingSafeEqual(it.digest, digest)) return it.entry;
    const found = await this.#host.tokens.check(token);
    // Whoever made one of that name does not become the one who started the host.
    const taken = this.#start.some((it) => it.entry.principal === found?.principal);
    return found !== undefined && taken ? { ...found, principal: `http/${found.name}#${found.id}` } : found;
  }

  #learn(entry: Identity): Known {
    const { id, name, role, expiresAt, principal } = entry;
    if (isSignedIn(id)) this.#makeRoom();
    const leave = new Stop();
    const known: Known = {
      id,
      name,
      role,
      principal,
      expiresAt,
      leave,
      revoked: leave,
      sockets: new Set(),
      requests: new Set(),
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

  /** Everybody who signs in has a session; those without anything open make room. */
  #makeRoom(): void {
    const signedIn = [...this.#known.values()].filter((it) => isSignedIn(it.id));
    if (signedIn.length < this.#options.limits.signedIn) return;
    const idle = signedIn.find((it) => it.sockets.size === 0 && it.requests.size === 0);
    if (idle === undefined) throw tooManyPeople();
    this.#forget(idle);
  }

  #forget(known: Known): void {
    this.#known.delete(known.id);
    revoke(known);
    for (const socket of known.sockets) socket.destroy();
    known.open?.then(
      (session) => session.close(),
      () => {},
    );
  }
}

function revoke({ leave, requests }: Known): void {
  leave.abort();
  for (const it of requests) it.abort();
}

function tooMany(what: string, headers: Readonly<Record<string, string>>): Refusal {
  return new Refusal(429, 'rate_limited', `this token has too many ${what}`, {
    hint: 'wait until some have ended',
    headers: { 'retry-after': '1', ...headers },
  });
}

function tooManyPeople(): Refusal {
  return new Refusal(429, 'rate_limited', 'too many people are signed in', {
    hint: 'wait until some have left',
    headers: { 'retry-after': '10' },
  });
}

/** Ids of stored tokens begin with `tok_`. */
function isSignedIn(id: string): boolean {
  return id.startsWith('oidc:');
}

function digestOf(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}
