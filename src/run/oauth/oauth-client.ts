import { HostError } from '../../model/host-error.js';
import type { AuthorizationServer } from './authorization-server.js';
import { knownError } from './oauth-error.js';
import { type OAuthAccess, sendOAuth } from './oauth-request.js';

export const clientMethods = ['none', 'client_secret_basic', 'client_secret_post'] as const;
export type ClientMethod = (typeof clientMethods)[number];

/** Who this host is to an authorization server. */
export interface OAuthClient {
  readonly id: string;
  /** Secret. */
  readonly secret?: string;
  /** How it proves who it is at the token endpoint. */
  readonly method: ClientMethod;
}

const maxLength = 4096;

/** A client that an operator registered; with a secret, it uses the way that the server offers. */
export function configuredClient(
  id: string,
  secret: string | undefined,
  { clientMethods: offered = ['client_secret_basic'] }: AuthorizationServer,
): OAuthClient {
  if (secret === undefined) return { id, method: 'none' };
  const method = offered.includes('client_secret_basic') ? 'client_secret_basic' : 'client_secret_post';
  return { id, secret, method };
}

/** Registers this host as a client (RFC 7591), for one redirect address. */
export async function registerClient(
  server: AuthorizationServer,
  redirectUri: string,
  scopes: readonly string[],
  access: OAuthAccess,
): Promise<OAuthClient> {
  const { issuer, registrationEndpoint, clientMethods: offered = ['none'] } = server;
  const { host } = new URL(issuer);
  if (registrationEndpoint === undefined) throw new Error('the server registers no clients');
  const wanted = clientMethods.find((it) => offered.includes(it)) ?? 'none';
  const { status, content } = await sendOAuth(
    {
      url: registrationEndpoint,
      json: {
        client_name: 'Toolwharf',
        application_type: 'native',
        redirect_uris: [redirectUri],
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        token_endpoint_auth_method: wanted,
        ...(scopes.length === 0 ? {} : { scope: scopes.join(' ') }),
      },
    },
    access,
  );
  if (status < 200 || status > 299)
    throw new HostError(
      'upstream_failed',
      `${host} did not register this host: ${knownError(content, status)}`,
      { hint: `register a client there, and set it: oauth.clients = ["${issuer} CLIENT_ID"]` },
    );
  const { client_id: id, client_secret: secret, token_endpoint_auth_method: method = wanted } = content ?? {};
  const isText = (it: unknown): it is string =>
    typeof it === 'string' && it.length <= maxLength && /^[\x20-\x7e]+$/.test(it);
  const known = clientMethods.find((it) => it === method);
  if (!isText(id) || known === undefined || (known !== 'none' && !isText(secret)))
    throw new HostError('upstream_failed', `${host} sent an invalid answer to the registration`);
  return known === 'none' || !isText(secret) ? { id, method: 'none' } : { id, secret, method: known };
}
