import { HostError } from '../../model/host-error.js';
import type { JsonObject } from '../../model/json.js';
import type { AuthorizationRequest } from './authorization.js';
import { scopesIn } from './bearer-challenge.js';
import type { OAuthClient } from './oauth-client.js';
import { knownError } from './oauth-error.js';
import { type OAuthAccess, sendOAuth } from './oauth-request.js';

/** What a token endpoint issued. The tokens are secrets. */
export interface IssuedTokens {
  readonly accessToken: string;
  readonly refreshToken?: string;
  /** Seconds; undefined: the server does not say. */
  readonly expiresIn?: number;
  /** Undefined: those that were requested. */
  readonly scopes?: readonly string[];
}

/** Where and as whom tokens are refreshed and revoked. */
export interface TokenClient {
  readonly issuer: string;
  readonly endpoint: string;
  readonly client: OAuthClient;
  readonly resource: string;
}

/** `invalid`: the refresh token is not accepted any more. */
export type RefreshResult =
  | { readonly kind: 'issued'; readonly tokens: IssuedTokens }
  | { readonly kind: 'invalid' };

const maxToken = 16 * 1024;
/** One year. Longer lifetimes mean the same. */
const maxLifetime = 31_536_000;

/** Exchanges the code of an authorization for tokens. */
export async function exchangeCode(
  code: string,
  { server, client, redirectUri, resource, verifier }: AuthorizationRequest,
  access: OAuthAccess,
): Promise<IssuedTokens> {
  const form = { code, redirect_uri: redirectUri, code_verifier: verifier, resource };
  const { issuer, tokenEndpoint: endpoint } = server;
  const request = { grant_type: 'authorization_code', ...form };
  const { status, content } = await post({ issuer, endpoint, client, resource }, request, access);
  if (status !== 200)
    throw new HostError(
      'auth_required',
      `${new URL(issuer).host} did not issue a token: ${knownError(content, status)}`,
      { hint: 'sign in again' },
    );
  return tokensIn(content, issuer);
}

/** Gets new tokens with a refresh token. */
export async function refreshTokens(
  refreshToken: string,
  at: TokenClient,
  access: OAuthAccess,
): Promise<RefreshResult> {
  const form = { grant_type: 'refresh_token', refresh_token: refreshToken, resource: at.resource };
  const { status, content } = await post(at, form, access);
  if (status === 200) return { kind: 'issued', tokens: tokensIn(content, at.issuer) };
  const isInvalid = content?.error === 'invalid_grant' || content?.error === 'invalid_client';
  if ((status === 400 || status === 401) && isInvalid) return { kind: 'invalid' };
  throw new HostError(
    'upstream_failed',
    `${new URL(at.issuer).host} did not refresh the sign-in: ${knownError(content, status)}`,
    status >= 500 || status === 429 ? { hint: 'call again later', transient: {} } : {},
  );
}

/** Revokes a token (RFC 7009). Throws if the server did not do it. */
export async function revokeToken(
  token: string,
  kind: 'refresh_token' | 'access_token',
  at: TokenClient,
  access: OAuthAccess,
): Promise<void> {
  const { status, content } = await post(at, { token, token_type_hint: kind }, access);
  if (status !== 200)
    throw new HostError('upstream_failed', `it did not revoke the token: ${knownError(content, status)}`);
}

function post(
  { endpoint, client }: TokenClient,
  form: Readonly<Record<string, string>>,
  access: OAuthAccess,
): ReturnType<typeof sendOAuth> {
  const { id, secret = '', method } = client;
  switch (method) {
    case 'none':
      return sendOAuth({ url: endpoint, form: { ...form, client_id: id } }, access);
    case 'client_secret_post':
      return sendOAuth({ url: endpoint, form: { ...form, client_id: id, client_secret: secret } }, access);
    case 'client_secret_basic': {
      const pair = [id, secret].map((it) => new URLSearchParams({ it }).toString().slice('it='.length));
      const authorization = `Basic ${Buffer.from(pair.join(':')).toString('base64')}`;
      return sendOAuth({ url: endpoint, form, headers: { authorization } }, access);
    }
  }
}

function tokensIn(content: JsonObject | undefined, issuer: string): IssuedTokens {
  const {
    access_token: accessToken,
    token_type: type,
    refresh_token: refreshToken,
    expires_in: expiresIn,
    scope,
  } = content ?? {};
  const isToken = (it: unknown): it is string =>
    typeof it === 'string' && it.length <= maxToken && /^[\x21-\x7e]+$/.test(it);
  if (!isToken(accessToken) || (refreshToken !== undefined && !isToken(refreshToken)))
    throw invalidAnswer(issuer, 'it has no valid token');
  if (typeof type !== 'string' || type.toLowerCase() !== 'bearer')
    throw invalidAnswer(issuer, 'its token is not a bearer token');
  const seconds = Number(expiresIn);
  const isLimited = expiresIn !== undefined && expiresIn !== null && Number.isFinite(seconds) && seconds >= 0;
  return {
    accessToken,
    ...(refreshToken === undefined ? {} : { refreshToken }),
    ...(isLimited ? { expiresIn: Math.min(seconds, maxLifetime) } : {}),
    ...(typeof scope === 'string' ? { scopes: scopesIn(scope) } : {}),
  };
}

function invalidAnswer(issuer: string, why: string): HostError {
  return new HostError('upstream_failed', `${new URL(issuer).host} sent an invalid answer: ${why}`);
}
