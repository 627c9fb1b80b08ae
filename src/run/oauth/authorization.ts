import { createHash, timingSafeEqual } from 'node:crypto';
import { HostError } from '../../model/host-error.js';
import { isLoopbackHost } from '../../model/host-name.js';
import type { AuthorizationServer } from './authorization-server.js';
import type { OAuthClient } from './oauth-client.js';
import { errorMeaning } from './oauth-error.js';

/** One authorization request. Only the host knows it; the browser gets the URL made from it. */
export interface AuthorizationRequest {
  readonly server: AuthorizationServer;
  readonly client: OAuthClient;
  readonly redirectUri: string;
  readonly resource: string;
  readonly scopes: readonly string[];
  /** Secret, for PKCE. */
  readonly verifier: string;
  /** Connects the answer to this request. */
  readonly state: string;
}

/** The address that a person opens to sign in. */
export function authorizationUrl(request: AuthorizationRequest): string {
  const { server, client, redirectUri, resource, scopes, verifier, state } = request;
  const url = new URL(server.authorizationEndpoint);
  const parameters = {
    response_type: 'code',
    client_id: client.id,
    redirect_uri: redirectUri,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    state,
    resource,
    ...(scopes.length === 0 ? {} : { scope: scopes.join(' ') }),
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url.href;
}

/** The redirect address that a surface listens at; throws for any that is not on this machine. */
export function checkedRedirect(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isValid =
    url?.protocol === 'http:' &&
    isLoopbackHost(url.hostname) &&
    url.hostname !== 'localhost' &&
    url.port !== '' &&
    url.pathname === '/callback' &&
    url.href === text;
  if (isValid) return text;
  throw new HostError('usage', 'the redirect address must be http://127.0.0.1:PORT/callback');
}

/**
 * The code in the address that the browser was sent to. Throws `integrity` if the answer does not belong to this request:
 * nothing in it is used or shown then.
 */
export function codeIn(callback: string, request: AuthorizationRequest): string {
  const { redirectUri, state, server } = request;
  const base = new URL(redirectUri);
  const url = URL.canParse(callback, redirectUri) ? new URL(callback, base) : undefined;
  if (url === undefined || url.origin !== base.origin || url.pathname !== base.pathname)
    throw notOurs('its address is not the redirect address of this sign-in');
  const one = (name: string) => {
    const values = url.searchParams.getAll(name);
    if (values.length > 1) throw notOurs(`it has ${name} more than once`);
    return values[0];
  };
  if (!isSame(one('state') ?? '', state)) throw notOurs('its state is not the one of this sign-in');
  const issuer = one('iss');
  if (issuer === undefined ? server.namesIssuer : issuer !== server.issuer)
    throw notOurs(`it does not come from ${new URL(server.issuer).host}`);
  const error = one('error');
  if (error !== undefined)
    throw new HostError(
      'auth_required',
      `${new URL(server.issuer).host} did not sign you in: ${errorMeaning(error) ?? 'it gave an unknown reason'}`,
    );
  const code = one('code');
  if (code === undefined || code === '' || code.length > 4096 || !/^[\x20-\x7e]+$/.test(code))
    throw notOurs('it has no code');
  return code;
}

function notOurs(why: string): HostError {
  return new HostError('integrity', `the answer to the sign-in was not used: ${why}`, {
    hint: 'begin the sign-in again, and open only the address that it prints',
  });
}

function isSame(given: string, expected: string): boolean {
  const [a, b] = [given, expected].map((it) => createHash('sha256').update(it).digest());
  return timingSafeEqual(a as Buffer, b as Buffer);
}
