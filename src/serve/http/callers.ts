import { hash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Host, ServedSessionOptions, Session, TokenEntry, TokenRole } from '../../host/host.js';
import { Cancellation, type CancelSignal } from '../../model/cancel-signal.js';
import { LiveMap } from '../../model/live-map.js';
import { HttpError } from './http-error.js';
import type { Identity } from './identity.js';
import { type IdentityProvider, InvalidToken } from './oidc/identity-provider.js';
import { challenge } from './oidc/protected-resource.js';
import { ownOrigin, type ServerNames } from './origin-check.js';
import type { HttpServerLimits } from './server-limits.js';

/** A token that is valid until the server stops. It is not stored. */
export interface StartToken {
  readonly name: string;
  readonly role: TokenRole;
  readonly token: string;
}

/** The caller that one token identifies. */
export interface HttpCaller {
  readonly id: string;
  readonly name: string;
  readonly role: TokenRole;
  readonly principal: string;
  /** Whether the operator allowed its user to approve held calls at the client. */
  readonly mayApprove: boolean;
  /** Opens the session on first use. All requests with the token share it. */
  session(): Promise<Session>;
  /** Aborted when the token is revoked or expires. */
  readonly revoked: CancelSignal;
}

interface CallerEntry extends HttpCaller {
  readonly sockets: Set<Socket>;
  readonly revocation: Cancellation;
  /** Requests in progress. They are aborted when the token is revoked. */
  readonly requests: LiveMap<Cancellation, true>;
  expiresAt: number | null;
  open: Promise<Session> | undefined;
}

export interface CallersOptions {
  readonly session: Omit<ServedSessionOptions, 'principal'>;
  readonly startTokens: readonly StartToken[];
  readonly provider?: IdentityProvider | undefined;
  readonly limits: HttpServerLimits;
  readonly now: () => number;
}

/** Identifies callers by their tokens, opens one session for each caller and enforces its limits. */
export class Callers {
  readonly #host: Host;
  readonly #options: CallersOptions;
  readonly #startTokens: readonly { digest: Buffer; identity: Identity }[];
  readonly #callers = new Map<string, CallerEntry>();
  /** Start tokens cannot be revoked, so they are checked once per connection. */
  readonly #checkedSockets = new WeakMap<
    Socket,
    { readonly authorization: string; readonly caller: CallerEntry }
  >();

  constructor(host: Host, options: CallersOptions) {
    this.#host = host;
    this.#options = options;
    this.#startTokens = options.startTokens.map(({ name, role, token }) => ({
      digest: digestOf(token),
      identity: {
        ...{ id: `start:${name}`, name, role, expiresAt: null, principal: `http/${name}` },
        mayApprove: false,
      },
    }));
  }

  /** The caller of a connection whose start token was checked before, if it still sends this token. */
  known({ headers: { authorization = '' }, socket }: IncomingMessage): HttpCaller | undefined {
    const before = this.#checkedSockets.get(socket);
    return before?.authorization === authorization ? before.caller : undefined;
  }

  /** Returns the caller of a request. Throws 401 if there is no valid token. */
  async identify(request: IncomingMessage, names: ServerNames): Promise<HttpCaller> {
    const { authorization = '' } = request.headers;
    const token = /^Bearer ([\x21-\x7e]{1,8192})$/i.exec(authorization)?.[1];
    let identity: Identity | undefined;
    let problem: InvalidToken | undefined;
    try {
      identity = token === undefined ? undefined : await this.#check(token);
    } catch (error) {
      if (!(error instanceof InvalidToken)) throw error;
      problem = error;
    }
    if (identity === undefined) throw this.#unauthorized(request, names, problem);
    const caller = this.#callers.get(identity.id) ?? this.#add(identity);
    // One subject can have several tokens: the latest expiry counts.
    if (identity.expiresAt === null || caller.expiresAt === null || identity.expiresAt > caller.expiresAt)
      caller.expiresAt = identity.expiresAt;
    if (identity.id.startsWith('start:')) this.#checkedSockets.set(request.socket, { authorization, caller });
    return caller;
  }

  #unauthorized(request: IncomingMessage, names: ServerNames, problem: InvalidToken | undefined): HttpError {
    const reason = problem?.message;
    const { provider } = this.#options;
    const path = (request.url ?? '').split('?', 1)[0] ?? '';
    const hint =
      provider === undefined
        ? 'use a token that "toolwharf serve" printed, or create one: toolwharf token create NAME'
        : `sign in with ${provider.issuer} for a new token, or create one: toolwharf token create NAME`;
    return new HttpError(401, 'auth_required', reason ?? 'a token is required: Authorization: Bearer TOKEN', {
      hint: problem?.hint ?? hint,
      headers: { 'www-authenticate': challenge(ownOrigin(request, names), path, provider, reason) },
    });
  }

  /** Counts a request against the limits of its token. Returns a function to call when the request has ended. */
  enter(caller: HttpCaller, socket: Socket, request: Cancellation): () => void {
    const entry = this.#callers.get(caller.id);
    if (entry === undefined) throw new HttpError(401, 'auth_required', 'the token was revoked');
    const { connectionsPerToken, requestsPerToken } = this.#options.limits;
    if (!entry.sockets.has(socket) && entry.sockets.size >= connectionsPerToken)
      throw tooMany('connections', { connection: 'close' });
    if (entry.requests.size >= requestsPerToken) throw tooMany('requests in progress', {});
    if (!entry.sockets.has(socket)) {
      entry.sockets.add(socket);
      socket.once('close', () => entry.sockets.delete(socket));
    }
    entry.requests.set(request, true);
    return () => {
      entry.requests.delete(request);
    };
  }

  /**
   * Opens the sessions of callers whose calls a crash interrupted, so that the host repeats these calls now. A signed-in
   * caller must come back first: only its token says who it is.
   */
  async resume(): Promise<void> {
    const interrupted = (await this.#host.outcomes.unknown()).filter((it) => it.repeats);
    if (interrupted.length === 0) return;
    const now = this.#options.now();
    const stored = (await this.#host.tokens.list()).filter(
      (it) => it.kind === 'http' && (it.expiresAt === null || it.expiresAt > now),
    );
    const known = [
      ...this.#startTokens.map((it) => it.identity),
      ...stored.map((it) => this.#identityOf(it)),
    ];
    for (const identity of known) {
      if (!interrupted.some((it) => it.principal === identity.principal)) continue;
      await (this.#callers.get(identity.id) ?? this.#add(identity)).session();
    }
  }

  /** Closes the connections and sessions of tokens that were revoked or have expired. */
  async sweep(): Promise<void> {
    const stored = new Map((await this.#host.tokens.list()).map((it) => [it.id, it]));
    const now = this.#options.now();
    for (const [id, entry] of this.#callers) {
      if (id.startsWith('start:')) continue;
      const { expiresAt } = isSignedIn(id) ? entry : (stored.get(id) ?? { expiresAt: 0 });
      if (expiresAt !== null && expiresAt <= now) this.#remove(entry);
    }
  }

  async close(): Promise<void> {
    for (const entry of this.#callers.values()) {
      revoke(entry);
      await entry.open?.then(
        (session) => session.close(),
        () => {},
      );
    }
    this.#callers.clear();
  }

  async #check(token: string): Promise<Identity | undefined> {
    const { provider } = this.#options;
    // Our own tokens never contain a dot; JWTs always do.
    if (provider !== undefined && token.includes('.')) return provider.check(token);
    const digest = digestOf(token);
    for (const it of this.#startTokens) if (timingSafeEqual(it.digest, digest)) return it.identity;
    const stored = await this.#host.tokens.check(token);
    const expired = stored === null ? await this.#host.tokens.checkExpired(token) : null;
    if (expired !== null) throw expiredToken(expired);
    // The key of a stdio client is valid only on the socket.
    if (stored === null || stored.kind !== 'http') return undefined;
    return this.#identityOf(stored);
  }

  /** A stored token with the name of a start token must not get its principal. */
  #identityOf(stored: TokenEntry): Identity {
    const taken = this.#startTokens.some((it) => it.identity.principal === stored.principal);
    return taken ? { ...stored, principal: `http/${stored.name}#${stored.id}` } : stored;
  }

  #add(identity: Identity): CallerEntry {
    const { id, name, role, expiresAt, principal, mayApprove } = identity;
    if (isSignedIn(id)) this.#makeRoom();
    const revocation = new Cancellation();
    const entry: CallerEntry = {
      id,
      name,
      role,
      principal,
      mayApprove,
      expiresAt,
      revocation,
      revoked: revocation,
      sockets: new Set(),
      requests: new LiveMap(),
      open: undefined,
      session: () => {
        entry.open ??= this.#host.session({ ...this.#options.session, principal }).catch((error) => {
          entry.open = undefined;
          throw error;
        });
        return entry.open;
      },
    };
    this.#callers.set(id, entry);
    return entry;
  }

  /** Each signed-in caller keeps a session. At the limit, an idle caller is removed. */
  #makeRoom(): void {
    const signedIn = [...this.#callers.values()].filter((it) => isSignedIn(it.id));
    if (signedIn.length < this.#options.limits.signedIn) return;
    const idle = signedIn.find((it) => it.sockets.size === 0 && it.requests.size === 0);
    if (idle === undefined) throw tooManyCallers();
    this.#remove(idle);
  }

  #remove(entry: CallerEntry): void {
    this.#callers.delete(entry.id);
    revoke(entry);
    for (const socket of entry.sockets) socket.destroy();
    entry.open?.then(
      (session) => session.close(),
      () => {},
    );
  }
}

/** The name is only in the hint: the message is part of a header too. */
function expiredToken({ name, expiresAt }: TokenEntry): InvalidToken {
  const shown = /^[\w.-]+$/.test(name) ? name : 'NAME';
  return new InvalidToken(`the token expired at ${new Date(expiresAt ?? 0).toISOString()}`, {
    hint: `create a new one: toolwharf token create ${shown}; or connect the client again: toolwharf connect CLIENT --http URL`,
  });
}

function revoke({ revocation, requests }: CallerEntry): void {
  revocation.abort();
  for (const it of requests.keys()) it.abort();
}

function tooMany(what: string, headers: Readonly<Record<string, string>>): HttpError {
  return new HttpError(429, 'rate_limited', `this token has too many ${what}`, {
    hint: 'wait until some of them have ended',
    headers: { 'retry-after': '1', ...headers },
  });
}

function tooManyCallers(): HttpError {
  return new HttpError(429, 'rate_limited', 'too many callers are signed in', {
    hint: 'wait until some of them have disconnected',
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
