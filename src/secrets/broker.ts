import { HostError } from '../model/host-error.js';
import { canonicalJson, isObject, type JsonObject } from '../model/json.js';
import type { SignIn } from './provider.js';

/** Where the key of the broker is kept: no package can have this name. */
export const brokerEntry = { package: '@broker', slot: 'ARCADE_API_KEY' } as const;
export const defaultBrokerUrl = 'https://api.arcade.dev';

/** One question to the broker. Throws a refusal of the network as it is. */
export type AskBroker = (question: {
  readonly url: string;
  readonly key: string;
  readonly body: JsonObject;
}) => Promise<{ readonly status: number; readonly text: string }>;

export interface TokenWish {
  readonly url: string;
  readonly key: string;
  /** Whose sign-in it is, as the broker knows people. */
  readonly user: string;
  readonly signIn: SignIn;
  /** As the manifest spells them, for messages. */
  readonly scopes: readonly string[];
}

/** A token is used until shortly before its end; where the broker does not say when that is, for a minute. */
const marginMs = 60_000;
const unknownMs = 60_000;
const oneCallMs = 10_000;
const maxTokenLength = 16 * 1024;

interface Minted {
  readonly token: string;
  readonly until: number;
}

/**
 * Access tokens of people's accounts elsewhere, from a broker that holds their sign-ins (Arcade's API). What lasts stays
 * with the broker: only short-lived tokens come here, and they are kept in memory alone.
 */
export class TokenBroker {
  readonly #ask: AskBroker;
  readonly #now: () => number;
  readonly #minted = new Map<string, Promise<Minted>>();

  constructor(ask: AskBroker, now: () => number) {
    this.#ask = ask;
    this.#now = now;
  }

  /** Of many who ask for the same at once, one goes to the broker. A refusal is not remembered. */
  async token(wish: TokenWish): Promise<string> {
    const { url, key, user, signIn } = wish;
    const name = canonicalJson([url, key, user, signIn.provider, signIn.scopes]);
    const known = this.#minted.get(name);
    if (known !== undefined) {
      const minted = await known;
      if (minted.until > this.#now()) return minted.token;
      if (this.#minted.get(name) === known) this.#minted.delete(name);
    }
    const asking = this.#minted.get(name) ?? this.#mint(wish);
    this.#minted.set(name, asking);
    try {
      return (await asking).token;
    } catch (error) {
      if (this.#minted.get(name) === asking) this.#minted.delete(name);
      throw error;
    }
  }

  async #mint({ url, key, user, signIn, scopes }: TokenWish): Promise<Minted> {
    const body = {
      user_id: user,
      auth_requirement: {
        provider_id: signIn.provider,
        provider_type: 'oauth2',
        oauth2: { scopes: signIn.scopes },
      },
    };
    const asked = this.#now();
    const { status, text } = await this.#ask({
      url: `${url.replace(/\/+$/, '')}/v1/auth/authorize`,
      key,
      body,
    });
    if (status === 401 || status === 403)
      throw new HostError('needs_setup', `the token broker at ${placeOf(url)} does not accept its key`, {
        hint: `set it again: toolwharf secret set ${brokerEntry.package} ${brokerEntry.slot}`,
      });
    if (status < 200 || status > 299)
      throw new HostError('upstream_failed', `the token broker at ${placeOf(url)} answered ${status}`, {
        hint:
          status === 429
            ? 'it asks for a pause; call again later'
            : 'see whether it works; broker.url says where it is',
      });
    return readAnswer(text, asked, `${signIn.provider} (${scopes.join(', ')})`, url);
  }
}

function readAnswer(text: string, asked: number, what: string, url: string): Minted {
  const answer = parsed(text);
  const context = isObject(answer?.context) ? answer.context : {};
  switch (answer?.status) {
    case 'completed': {
      const { token } = context;
      if (typeof token !== 'string' || !/^[\x21-\x7e]+$/.test(token) || token.length > maxTokenLength)
        throw garbled(url, 'it says that the sign-in is complete, and sends no token');
      const end = endOf(context.expires_at ?? answer.expires_at);
      return { token, until: end === undefined ? asked + unknownMs : lastUse(end, asked) };
    }
    case 'not_started':
    case 'pending': {
      const page = pageOf(answer.url);
      if (page === undefined) throw garbled(url, 'it wants a sign-in, and names no page for it');
      throw new HostError('auth_required', `sign in with ${what} first: ${page}`, {
        hint: `open ${page} and call again`,
      });
    }
    case 'failed':
      throw new HostError('auth_required', `the sign-in with ${what} failed`, {
        hint: 'call again to start it anew',
      });
    default:
      throw garbled(url, 'its answer is not one of a token broker');
  }
}

/** One that is about to end still serves the call it was minted for. */
function lastUse(end: number, asked: number): number {
  return Math.max(end - marginMs, Math.min(end, asked + oneCallMs));
}

function parsed(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** A page that a person can be sent to; plain http only on this machine. */
function pageOf(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > 4096 || !/^[\x21-\x7e]+$/.test(value)) return undefined;
  try {
    const { protocol, hostname, username, password, href } = new URL(value);
    const here = /^(?:localhost|127\.0\.0\.1|\[::1\])$/.test(hostname);
    const sound = protocol === 'https:' || (protocol === 'http:' && here);
    return sound && username === '' && password === '' ? href : undefined;
  } catch {
    return undefined;
  }
}

/** ISO 8601, or seconds since 1970. */
function endOf(value: unknown): number | undefined {
  const end =
    typeof value === 'number' ? value * 1000 : typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isFinite(end) ? end : undefined;
}

function garbled(url: string, why: string): HostError {
  return new HostError(
    'upstream_failed',
    `the token broker at ${placeOf(url)} cannot be understood: ${why}`,
    {
      hint: 'check that broker.url is the address of an Arcade API',
    },
  );
}

function placeOf(url: string): string {
  return new URL(url).host;
}
