import { neverCanceled } from '../../model/cancel-signal.js';
import { HostError } from '../../model/host-error.js';
import type { HttpClient } from '../../net/http-client.js';
import { type IssuedTokens, refreshTokens, type TokenClient } from '../../run/oauth/token-endpoint.js';
import type { AccessTokens } from '../../run/upstream/access-tokens.js';
import type { SignInRecord } from '../../secrets/sign-in-record.js';
import type { RequestedSignIns } from './requested-sign-ins.js';
import { reachOfPlaces, type SignInServer } from './sign-in-server.js';
import type { SignInStore } from './sign-in-store.js';

export interface AccessTokenServices {
  readonly store: SignInStore;
  readonly requested: RequestedSignIns;
  readonly client: HttpClient;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** A token is refreshed this long before it expires, or after two thirds of a short life. */
const marginMs = 60_000;

/** Gives upstream connections their access tokens, and refreshes them. */
export class AccessTokenSource {
  readonly #services: AccessTokenServices;
  /** Refreshes that are running, by package and program: calls at the same time share one. */
  readonly #refreshing = new Map<string, Promise<SignInRecord | undefined>>();

  constructor(services: AccessTokenServices) {
    this.#services = services;
  }

  tokensFor(server: SignInServer, command: string): AccessTokens {
    const { requested, now } = this.#services;
    return {
      command,
      request: (challenge) => requested.add(server, challenge),
      current: async () => {
        const record = await this.#record(server);
        if (record === undefined || (record.refreshAt ?? Number.POSITIVE_INFINITY) > now())
          return record?.accessToken;
        const isExpired = (record.expiresAt ?? 0) <= now();
        if (record.refreshToken === undefined) return isExpired ? undefined : record.accessToken;
        try {
          return (await this.#refresh(server, record))?.accessToken;
        } catch (error) {
          if (isExpired || !(error instanceof HostError)) throw error;
          return record.accessToken;
        }
      },
      replace: async (rejected) => {
        const record = await this.#record(server);
        if (record === undefined || record.accessToken !== rejected) return record?.accessToken;
        if (record.refreshToken === undefined) return undefined;
        return (await this.#refresh(server, record))?.accessToken;
      },
    };
  }

  /** A sign-in is for one URL: if the manifest names another one, it does not count. */
  async #record({ package: packageId, program, url }: SignInServer): Promise<SignInRecord | undefined> {
    const record = await this.#services.store.get(packageId, program);
    return record?.url === url ? record : undefined;
  }

  #refresh(server: SignInServer, old: SignInRecord): Promise<SignInRecord | undefined> {
    const { package: packageId, program } = server;
    const key = JSON.stringify([packageId, program]);
    const running = this.#refreshing.get(key);
    if (running !== undefined) return running;
    const work = this.#services.store
      .exclusively(packageId, program, () => this.#refreshNow(server, old))
      .finally(() => this.#refreshing.delete(key));
    this.#refreshing.set(key, work);
    return work;
  }

  /** The new refresh token is stored before the new access token is used: the old one is worth nothing then. */
  async #refreshNow(server: SignInServer, old: SignInRecord): Promise<SignInRecord | undefined> {
    const { store, client, now } = this.#services;
    const { package: packageId, program, environment } = server;
    const record = await this.#record(server);
    if (record?.refreshToken === undefined || record.accessToken !== old.accessToken) return record;
    const reach = reachOfPlaces(record.places, environment);
    const at = tokenClientOf(record, record.tokenEndpoint);
    const startedAt = now();
    const result = await refreshTokens(record.refreshToken, at, { client, reach, signal: neverCanceled });
    if (result.kind === 'invalid') {
      await store.remove(packageId, program);
      return undefined;
    }
    const renewed = withTokens(record, result.tokens, startedAt);
    await store.put(packageId, program, renewed);
    return renewed;
  }
}

/** The sign-in with new tokens. A server that sends no new refresh token keeps the old one valid. */
export function withTokens(
  { expiresAt: _expiresAt, refreshAt: _refreshAt, ...record }: SignInRecord,
  { accessToken, refreshToken, expiresIn, scopes }: IssuedTokens,
  issuedAt: number,
): SignInRecord {
  const lifeMs = expiresIn === undefined ? undefined : expiresIn * 1000;
  return {
    ...record,
    accessToken,
    ...(refreshToken === undefined ? {} : { refreshToken }),
    ...(scopes === undefined ? {} : { scopes }),
    ...(lifeMs === undefined
      ? {}
      : {
          expiresAt: issuedAt + lifeMs,
          refreshAt: issuedAt + Math.max(lifeMs - marginMs, (lifeMs * 2) / 3),
        }),
  };
}

export function tokenClientOf(record: SignInRecord, endpoint: string): TokenClient {
  const { issuer, resource, clientId: id, clientSecret: secret, clientMethod: method } = record;
  const client = { id, method, ...(secret === undefined ? {} : { secret }) };
  return { issuer, endpoint, resource, client };
}
