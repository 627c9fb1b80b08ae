import { type CancelSignal, neverCanceled } from '../../model/cancel-signal.js';
import { HostError } from '../../model/host-error.js';
import type { HttpClient } from '../../net/http-client.js';
import {
  type AuthorizationRequest,
  authorizationUrl,
  checkedRedirect,
  codeIn,
} from '../../run/oauth/authorization.js';
import { fetchAuthorizationServer, placesOf } from '../../run/oauth/authorization-server.js';
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
import type { ServerSignIn, SignInBegin, SignInFinish, SignInOffer, SignInStart } from './server-sign-ins.js';
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
    issuer: string | undefined,
    signal: CancelSignal = neverCanceled,
  ): Promise<SignInOffer> {
    const { resource, scopes } = await this.#discover(server, signal);
    const { package: packageId, program, url } = server;
    const offer = { package: packageId, program, url, issuers: resource.issuers, scopes };
    if (issuer === undefined) return offer;
    assertListed(issuer, resource, url);
    const access = this.#access(server, [placeOf(issuer)], signal);
    const found = await fetchAuthorizationServer(issuer, access, resource.isAssumed);
    return { ...offer, places: placesOf(found) };
  }

  async begin(
    server: SignInServer,
    request: SignInBegin,
    who: VerifiedActor,
    policy: SessionPolicy,
  ): Promise<SignInStart> {
    const { store, now, newId, newSecret, vault } = this.#services;
    const { signal = neverCanceled, issuer, scopes: wanted } = request;
    const redirectUri = checkedRedirect(request.redirectUri);
    const { resource, scopes: asked } = await this.#discover(server, signal);
    assertListed(issuer, resource, server.url);
    const places = [...new Set([placeOf(issuer), ...(request.places ?? [])])];
    const access = this.#access(server, places, signal);
    const found = await fetchAuthorizationServer(issuer, access, resource.isAssumed);
    assertAgreed(placesOf(found), places, issuer);
    const earlier = await store.get(server.package, server.program);
    const kept = wanted !== undefined && earlier?.issuer === issuer ? earlier.scopes : [];
    const offline = found.scopes.includes('offline_access') ? ['offline_access'] : [];
    const scopes = validScopes([...kept, ...(wanted ?? asked), ...offline]);
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

function assertAgreed(needed: readonly string[], agreed: readonly string[], issuer: string): void {
  const missing = needed.filter((it) => !agreed.includes(it));
  if (missing.length === 0) return;
  throw new HostError(
    'network_denied',
    `signing in at ${new URL(issuer).host} also needs requests to ${missing.join(', ')}, and nobody agreed to that`,
    { hint: `if you trust it, add ${missing.map((it) => `--place ${it}`).join(' ')}` },
  );
}
