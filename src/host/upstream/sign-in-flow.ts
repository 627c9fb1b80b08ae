import { type CancelSignal, neverCanceled } from '../../model/cancel-signal.js';
import { HostError } from '../../model/host-error.js';
import type { HttpClient } from '../../net/http-client.js';
import {
  type AuthorizationRequest,
  authorizationUrl,
  checkedRedirect,
  codeIn,
} from '../../run/oauth/authorization.js';
import {
  type AuthorizationServer,
  fetchAuthorizationServer,
  placesOf,
} from '../../run/oauth/authorization-server.js';
import { validScopes } from '../../run/oauth/bearer-challenge.js';
import type { OAuthAccess } from '../../run/oauth/oauth-request.js';
import { placeOf } from '../../run/oauth/oauth-request.js';
import { fetchProtectedResource, type ProtectedResource } from '../../run/oauth/protected-resource.js';
import { exchangeCode } from '../../run/oauth/token-endpoint.js';
import type { SignInRecord } from '../../secrets/sign-in-record.js';
import type { Vault } from '../../secrets/vault.js';
import type { AuditLog } from '../../store/audit-log.js';
import type { VerifiedActor } from '../operator/operator-auth.js';
import type { SessionPolicy } from '../session-policy.js';
import { withTokens } from './access-token-source.js';
import type { RequestedSignIns } from './requested-sign-ins.js';
import type {
  ServerSignIn,
  SignInBegin,
  SignInCheck,
  SignInFinish,
  SignInOffer,
  SignInStart,
} from './server-sign-ins.js';
import { chooseClient } from './sign-in-client.js';
import { askServer } from './sign-in-probe.js';
import { reachOfPlaces, type SignInServer } from './sign-in-server.js';
import type { SignInStore } from './sign-in-store.js';

export interface SignInFlowServices {
  readonly store: SignInStore;
  readonly requested: RequestedSignIns;
  readonly vault: Vault;
  readonly client: HttpClient;
  readonly audit: AuditLog;
  readonly now: () => number;
  readonly newId: (prefix: string) => string;
  /** Unpredictable text, safe in a URL. */
  readonly newSecret: () => string;
  /** Called after somebody signed in or out: approvals become void, and connections end. */
  readonly onChanged: (packageId: string, reason: string) => Promise<void>;
}

/** A sign-in that waits for the person. Nobody outside the host sees the verifier. */
interface PendingSignIn {
  readonly server: SignInServer;
  readonly request: AuthorizationRequest;
  readonly access: Omit<OAuthAccess, 'signal'>;
  readonly places: readonly string[];
  readonly who: VerifiedActor;
  readonly keyStorage: SessionPolicy['vaultKey'];
  readonly expiresAt: number;
  wrongAnswers: number;
}

const lifeMs = 10 * 60_000;
const maxPending = 16;
const maxWrongAnswers = 5;

/** Signs people in: asks the server, asks the authorization server, waits for the person, and stores the tokens. */
export class SignInFlow {
  readonly #services: SignInFlowServices;
  readonly #pending = new Map<string, PendingSignIn>();

  constructor(services: SignInFlowServices) {
    this.#services = services;
  }

  async check(
    server: SignInServer,
    { issuer, scopes: wanted, signal = neverCanceled }: SignInCheck,
  ): Promise<SignInOffer> {
    const { resource, scopes: asked } = await this.#discover(server, signal);
    const { package: packageId, program, url } = server;
    const offer = { package: packageId, program, url, issuers: resource.issuers };
    if (issuer === undefined) return { ...offer, scopes: validScopes(wanted ?? asked) };
    assertListed(issuer, resource, url);
    const access = this.#access(server, [placeOf(issuer)], signal);
    const found = await fetchAuthorizationServer(issuer, access, resource.isAssumed);
    const scopes = await this.#scopesToRequest(server, found, wanted, asked);
    const browserPlace = placeOf(found.authorizationEndpoint);
    return { ...offer, scopes, places: placesOf(found), browserPlace };
  }

  async begin(
    server: SignInServer,
    request: SignInBegin,
    who: VerifiedActor,
    policy: SessionPolicy,
  ): Promise<SignInStart> {
    const { now, newId, newSecret, vault } = this.#services;
    const { signal = neverCanceled, issuer, scopes: agreed } = request;
    const redirectUri = checkedRedirect(request.redirectUri);
    const { resource, scopes: asked } = await this.#discover(server, signal);
    assertListed(issuer, resource, server.url);
    const places = [...new Set([placeOf(issuer), ...(request.places ?? [])])];
    const access = this.#access(server, places, signal);
    const found = await fetchAuthorizationServer(issuer, access, resource.isAssumed);
    assertAgreed(found, places, request.browserPlace);
    // The server may ask for other scopes than it did when a person agreed; those are not requested.
    const scopes =
      agreed === undefined
        ? await this.#scopesToRequest(server, found, undefined, asked)
        : validScopes(agreed);
    const sources = { access, vault, policy: policy.oauth };
    const chosen = await chooseClient(found, redirectUri, scopes, sources);
    const authorization: AuthorizationRequest = {
      ...{ ...chosen, redirectUri, resource: resource.resource, scopes },
      verifier: newSecret(),
      state: newSecret(),
    };
    const id = newId('sgn');
    const expiresAt = now() + lifeMs;
    this.#makeRoom();
    const { client: http, reach } = access;
    this.#pending.set(id, {
      ...{ server, request: authorization, places, who, expiresAt, wrongAnswers: 0 },
      access: { client: http, reach },
      keyStorage: policy.vaultKey,
    });
    return { id, url: authorizationUrl(authorization), scopes, expiresAt };
  }

  async finish({ id, callback, signal = neverCanceled }: SignInFinish): Promise<ServerSignIn> {
    const { store, requested, audit, now, onChanged } = this.#services;
    const pending = this.#pending.get(id);
    if (pending === undefined || pending.expiresAt <= now())
      throw new HostError('not_found', 'this sign-in has ended or never began', {
        hint: 'begin again: toolwharf sign-in PACKAGE',
      });
    const code = this.#codeIn(callback, id, pending);
    const { server, request, access, places, who, keyStorage } = pending;
    const { package: packageId, program, url } = server;
    const signedInAt = now();
    const tokens = await exchangeCode(code, request, { ...access, signal });
    const { issuer, tokenEndpoint, revocationEndpoint } = request.server;
    const { id: clientId, secret: clientSecret, method: clientMethod } = request.client;
    const empty: SignInRecord = {
      ...{ url, resource: request.resource, issuer, tokenEndpoint, places, clientId, clientMethod },
      ...(revocationEndpoint === undefined ? {} : { revocationEndpoint }),
      ...(clientSecret === undefined ? {} : { clientSecret }),
      ...{ scopes: request.scopes, accessToken: '', signedInAt },
    };
    const record = withTokens(empty, tokens, signedInAt);
    const { scopes } = record;
    const body = { operation: 'sign in', package: packageId, program, issuer, scopes, ...who };
    await audit.append({ kind: 'operator', body });
    await store.exclusively(packageId, program, () => store.put(packageId, program, record, keyStorage));
    await requested.remove(packageId, program);
    await onChanged(packageId, `somebody signed in to ${new URL(url).host}`);
    return signInOf(packageId, program, record);
  }

  /** Ends the sign-in, unless the answer belongs to another one: that must not end this one. */
  #codeIn(callback: string, id: string, pending: PendingSignIn): string {
    try {
      const code = codeIn(callback, pending.request);
      this.#pending.delete(id);
      return code;
    } catch (error) {
      const isOther = error instanceof HostError && error.code === 'integrity';
      if (!isOther || ++pending.wrongAnswers >= maxWrongAnswers) this.#pending.delete(id);
      throw error;
    }
  }

  /** What the server asks for: its metadata, and the scopes to request. */
  async #discover(
    server: SignInServer,
    signal: CancelSignal,
  ): Promise<{ readonly resource: ProtectedResource; readonly scopes: readonly string[] }> {
    const access = this.#access(server, [placeOf(server.url)], signal);
    const challenge = await askServer(server, access, this.#services.requested);
    const resource = await fetchProtectedResource(server.url, challenge, access);
    const scopes = challenge.scopes.length > 0 ? challenge.scopes : (resource.scopes ?? []);
    return { resource, scopes };
  }

  /** Those that are wanted besides those of an earlier sign-in, or those that the server asks for. */
  async #scopesToRequest(
    server: SignInServer,
    { issuer, scopes: known }: AuthorizationServer,
    wanted: readonly string[] | undefined,
    asked: readonly string[],
  ): Promise<readonly string[]> {
    const earlier = await this.#services.store.get(server.package, server.program);
    const kept = wanted !== undefined && earlier?.issuer === issuer ? earlier.scopes : [];
    // Many servers issue a refresh token only for this scope.
    const offline = known.includes('offline_access') ? ['offline_access'] : [];
    return validScopes([...kept, ...(wanted ?? asked), ...offline]);
  }

  #access({ environment }: SignInServer, places: readonly string[], signal: CancelSignal): OAuthAccess {
    return { client: this.#services.client, reach: reachOfPlaces(places, environment), signal };
  }

  #makeRoom(): void {
    const now = this.#services.now();
    for (const [id, { expiresAt }] of this.#pending) if (expiresAt <= now) this.#pending.delete(id);
    const [oldest] = this.#pending.keys();
    if (this.#pending.size >= maxPending && oldest !== undefined) this.#pending.delete(oldest);
  }
}

export function signInOf(packageId: string, program: string, record: SignInRecord): ServerSignIn {
  const { url, issuer, scopes, signedInAt, expiresAt, refreshToken } = record;
  return {
    ...{ package: packageId, program, url, issuer, scopes, signedInAt },
    ...(expiresAt === undefined ? {} : { expiresAt }),
    isRenewed: refreshToken !== undefined,
  };
}

function assertListed(issuer: string, { issuers }: ProtectedResource, url: string): void {
  if (issuers.includes(issuer)) return;
  throw new HostError('denied', `${new URL(url).host} does not use the authorization server ${issuer}`, {
    hint: `it uses ${issuers.join(', ')}`,
  });
}

/**
 * The browser may go to the issuer, or to the one place that a person agreed to. Otherwise an issuer could show the consent
 * page of somebody else, and get the code that was meant for them.
 */
function assertAgreed(
  server: AuthorizationServer,
  places: readonly string[],
  browserPlace: string | undefined,
): void {
  const { host } = new URL(server.issuer);
  const missing = placesOf(server).filter((it) => !places.includes(it));
  if (missing.length > 0)
    throw new HostError(
      'network_denied',
      `signing in at ${host} also needs requests to ${missing.join(', ')}, and nobody agreed to that`,
      { hint: `if you trust it, add ${missing.map((it) => `--place ${it}`).join(' ')}` },
    );
  const place = placeOf(server.authorizationEndpoint);
  if (place === placeOf(server.issuer) || place === browserPlace) return;
  throw new HostError(
    'denied',
    `signing in at ${host} sends the browser to ${place}, which is not the issuer, and nobody agreed to that`,
    { hint: `if ${place} belongs to ${host}, add --place ${place}` },
  );
}
