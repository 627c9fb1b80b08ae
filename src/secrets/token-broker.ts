import { HostError } from '../model/host-error.js';
import { canonicalJson, isObject, type JsonObject } from '../model/json.js';
import { documentLimits, tryParseBounded } from '../model/json-bounds.js';
import type { SignIn } from './sign-in-provider.js';

/** The vault entry with the API key of the broker. `@broker` cannot be a package id. */
export const brokerKeyEntry = { package: '@broker', slot: 'ARCADE_API_KEY' } as const;
export const defaultBrokerUrl = 'https://api.arcade.dev';

/** Sends one request to the broker. Network errors are thrown unchanged. */
export type SendToBroker = (request: {
  readonly url: string;
  readonly key: string;
  readonly body: JsonObject;
  /** Additional certificate authorities, as PEM. */
  readonly certificates?: string | undefined;
}) => Promise<{ readonly status: number; readonly text: string }>;

export interface TokenRequest {
  readonly url: string;
  readonly key: string;
  /** The user id at the broker. */
  readonly user: string;
  readonly signIn: SignIn;
  /** Additional certificate authorities, as PEM. */
  readonly certificates?: string | undefined;
  /** The scopes as written in the manifest, for messages. */
  readonly scopes: readonly string[];
}

/** A token is used until this time before its expiry. */
const marginMs = 60_000;
/** Lifetime of a token without an expiry. */
const defaultLifetimeMs = 60_000;
/** Minimum use of a token that expires soon: the call that it was requested for. */
const oneCallMs = 10_000;
const maxTokenLength = 16 * 1024;

interface CachedToken {
  readonly token: string;
  /** Milliseconds since 1970. */
  readonly usableUntil: number;
}

/**
 * Gets access tokens for user accounts from a broker that manages the sign-ins (Arcade's API). Refresh tokens stay with
 * the broker. Only short-lived tokens come here, and they are stored in memory only.
 */
export class TokenBroker {
  readonly #send: SendToBroker;
  readonly #now: () => number;
  readonly #tokens = new Map<string, Promise<CachedToken>>();

  constructor(send: SendToBroker, now: () => number) {
    this.#send = send;
    this.#now = now;
  }

  /** Concurrent requests for the same token share one broker request. Failures are not cached. */
  async token(request: TokenRequest): Promise<string> {
    const { url, key, user, signIn } = request;
    const name = canonicalJson([url, key, user, signIn.provider, signIn.scopes]);
    const known = this.#tokens.get(name);
    if (known !== undefined) {
      const cached = await known;
      if (cached.usableUntil > this.#now()) return cached.token;
      if (this.#tokens.get(name) === known) this.#tokens.delete(name);
    }
    const pending = this.#tokens.get(name) ?? this.#requestToken(request);
    this.#tokens.set(name, pending);
    try {
      return (await pending).token;
    } catch (error) {
      if (this.#tokens.get(name) === pending) this.#tokens.delete(name);
      throw error;
    }
  }

  async #requestToken({ url, key, user, signIn, scopes, certificates }: TokenRequest): Promise<CachedToken> {
    const body = {
      user_id: user,
      auth_requirement: {
        provider_id: signIn.provider,
        provider_type: 'oauth2',
        oauth2: { scopes: signIn.scopes },
      },
    };
    const requestedAt = this.#now();
    const { status, text } = await this.#send({
      url: `${url.replace(/\/+$/, '')}/v1/auth/authorize`,
      key,
      body,
      certificates,
    });
    if (status === 401 || status === 403)
      throw new HostError('needs_setup', `the token broker at ${hostOf(url)} does not accept its key`, {
        hint: `set it again: toolwharf secret set ${brokerKeyEntry.package} ${brokerKeyEntry.slot}`,
      });
    if (status < 200 || status > 299)
      throw new HostError('upstream_failed', `the token broker at ${hostOf(url)} answered ${status}`, {
        hint:
          status === 429
            ? 'it limits the request rate; try again later'
            : 'check that it is running; broker.url is its address',
      });
    return parseResponse(text, requestedAt, `${signIn.provider} (${scopes.join(', ')})`, url);
  }
}

function parseResponse(text: string, requestedAt: number, what: string, url: string): CachedToken {
  const response = parsed(text);
  const context = isObject(response?.context) ? response.context : {};
  switch (response?.status) {
    case 'completed': {
      const { token } = context;
      if (typeof token !== 'string' || !/^[\x21-\x7e]+$/.test(token) || token.length > maxTokenLength)
        throw invalidResponse(url, 'the sign-in is complete, but it sends no token');
      const expiry = expiryOf(context.expires_at ?? response.expires_at);
      return {
        token,
        usableUntil: expiry === undefined ? requestedAt + defaultLifetimeMs : lastUse(expiry, requestedAt),
      };
    }
    case 'not_started':
    case 'pending': {
      const page = pageOf(response.url);
      if (page === undefined) throw invalidResponse(url, 'it requires a sign-in, but names no page for it');
      throw new HostError('auth_required', `sign in with ${what} first: ${page}`, {
        hint: `open ${page}, then call the tool again`,
      });
    }
    case 'failed':
      throw new HostError('auth_required', `the sign-in with ${what} failed`, {
        hint: 'call the tool again to start a new sign-in',
      });
    default:
      throw invalidResponse(url, 'the response has an unknown format');
  }
}

/** A token that expires soon is still used for the current call. */
function lastUse(expiry: number, requestedAt: number): number {
  return Math.max(expiry - marginMs, Math.min(expiry, requestedAt + oneCallMs));
}

function parsed(text: string): JsonObject | undefined {
  const value = tryParseBounded(text, documentLimits);
  return isObject(value) ? value : undefined;
}

/** Hosts whose sign-in page may use plain http. Narrower than all loopback addresses: a broker chooses the page. */
const pageHosts: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];

/** The URL of a sign-in page; plain http only on this machine. */
function pageOf(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > 4096 || !/^[\x21-\x7e]+$/.test(value)) return undefined;
  try {
    const { protocol, hostname, username, password, href } = new URL(value);
    const isValid = protocol === 'https:' || (protocol === 'http:' && pageHosts.includes(hostname));
    return isValid && username === '' && password === '' ? href : undefined;
  } catch {
    return undefined;
  }
}

/** ISO 8601, or seconds since 1970. Returns milliseconds. */
function expiryOf(value: unknown): number | undefined {
  const expiry =
    typeof value === 'number' ? value * 1000 : typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isFinite(expiry) ? expiry : undefined;
}

function invalidResponse(url: string, why: string): HostError {
  return new HostError(
    'upstream_failed',
    `the token broker at ${hostOf(url)} sent an invalid response: ${why}`,
    {
      hint: 'check that broker.url is the address of an Arcade API',
    },
  );
}

function hostOf(url: string): string {
  return new URL(url).host;
}
