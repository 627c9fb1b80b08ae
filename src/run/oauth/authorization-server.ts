import { HostError } from '../../model/host-error.js';
import type { Json, JsonObject } from '../../model/json.js';
import { validScopes } from './bearer-challenge.js';
import { checkedUrl, type OAuthAccess, placeOf, sendOAuth } from './oauth-request.js';
import { defaultPaths2025 } from './own-issuer.js';
import { checkedIssuer } from './protected-resource.js';

/** What an authorization server publishes about itself (RFC 8414, OpenID Connect Discovery), checked. */
export interface AuthorizationServer {
  readonly issuer: string;
  /** Opened in the browser of the person. */
  readonly authorizationEndpoint: string;
  readonly tokenEndpoint: string;
  readonly registrationEndpoint?: string;
  readonly revocationEndpoint?: string;
  /** Its answers name the issuer (RFC 9207). */
  readonly namesIssuer: boolean;
  /** A client id may be the URL of a document about the client. */
  readonly acceptsClientDocuments: boolean;
  /** How clients prove who they are; undefined: it does not say. */
  readonly clientMethods: readonly string[] | undefined;
  readonly scopes: readonly string[];
}

/** Where the metadata of an issuer can be, in the order of the MCP specification. */
export function serverMetadataUrls(issuer: string): readonly string[] {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, '');
  const inserted = [
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}/.well-known/openid-configuration${path}`,
  ];
  return path === '' ? inserted : [...inserted, `${origin}${path}/.well-known/openid-configuration`];
}

/**
 * Fetches and checks the metadata of an issuer that a person agreed to. `isAssumed`: nothing names it; it is the origin of
 * the server. Then all of its endpoints must be there, and it may have no metadata.
 */
export async function fetchAuthorizationServer(
  issuer: string,
  access: OAuthAccess,
  isAssumed = false,
): Promise<AuthorizationServer> {
  const { host } = checkedIssuer(issuer);
  let isOther = false;
  for (const url of serverMetadataUrls(issuer)) {
    const { status, content } = await sendOAuth({ url }, access);
    if (status >= 500)
      throw new HostError('upstream_failed', `${host} answered ${status} to a request for its metadata`, {
        transient: {},
      });
    if (status < 200 || status > 299 || content === undefined) continue;
    // Compared as text: a name that only looks the same may belong to somebody else.
    if (content.issuer === issuer) {
      const server = checkedServer(issuer, content);
      if (isAssumed) assertSameOrigin(server);
      return server;
    }
    isOther = true;
  }
  if (isAssumed && !isOther) return defaultServer(issuer);
  throw isOther
    ? new HostError('upstream_failed', `the metadata at ${host} is for another authorization server`, {
        hint: `its "issuer" must be exactly ${issuer}; nothing was sent there`,
      })
    : new HostError('not_supported', `${host} publishes no metadata of an authorization server`);
}

function checkedServer(issuer: string, content: JsonObject): AuthorizationServer {
  const { host } = new URL(issuer);
  const required = (name: string) => checkedUrl(content[name], `the ${name} of ${host}`).href;
  const optional = (name: string) => (content[name] === undefined ? undefined : required(name));
  if (!lists(content.code_challenge_methods_supported, 'S256'))
    throw new HostError('not_supported', `${host} does not offer PKCE with S256, so signing in is not safe`, {
      hint: 'its metadata must list S256 in code_challenge_methods_supported; ask its provider',
    });
  for (const [name, value] of [
    ['response_types_supported', 'code'],
    ['grant_types_supported', 'authorization_code'],
  ] as const) {
    if (content[name] !== undefined && !lists(content[name], value))
      throw new HostError('not_supported', `${host} does not offer a sign-in with an authorization code`);
  }
  const registrationEndpoint = optional('registration_endpoint');
  const revocationEndpoint = optional('revocation_endpoint');
  const methods = content.token_endpoint_auth_methods_supported;
  return {
    issuer,
    authorizationEndpoint: required('authorization_endpoint'),
    tokenEndpoint: required('token_endpoint'),
    ...(registrationEndpoint === undefined ? {} : { registrationEndpoint }),
    ...(revocationEndpoint === undefined ? {} : { revocationEndpoint }),
    namesIssuer: content.authorization_response_iss_parameter_supported === true,
    acceptsClientDocuments: content.client_id_metadata_document_supported === true,
    clientMethods: Array.isArray(methods) ? methods.filter((it) => typeof it === 'string') : undefined,
    scopes: Array.isArray(content.scopes_supported) ? validScopes(content.scopes_supported) : [],
  };
}

/** The revision 2025-03-26 requires PKCE of a server without metadata too, so it is used. */
function defaultServer(issuer: string): AuthorizationServer {
  const { origin } = new URL(issuer);
  const { authorization_endpoint, token_endpoint, registration_endpoint } = defaultPaths2025;
  return {
    issuer,
    authorizationEndpoint: `${origin}${authorization_endpoint}`,
    tokenEndpoint: `${origin}${token_endpoint}`,
    registrationEndpoint: `${origin}${registration_endpoint}`,
    namesIssuer: false,
    acceptsClientDocuments: false,
    clientMethods: undefined,
    scopes: [],
  };
}

function assertSameOrigin(server: AuthorizationServer): void {
  const { issuer, authorizationEndpoint, tokenEndpoint, registrationEndpoint, revocationEndpoint } = server;
  const { origin, host } = new URL(issuer);
  const urls = [authorizationEndpoint, tokenEndpoint, registrationEndpoint, revocationEndpoint];
  const other = urls.find((it) => it !== undefined && new URL(it).origin !== origin);
  if (other === undefined) return;
  throw new HostError(
    'not_supported',
    `${host} says that people sign in at another host: ${new URL(other).host}`,
    {
      hint: 'such a server must publish protected resource metadata (RFC 9728); ask its provider',
    },
  );
}

function lists(value: Json | undefined, item: string): boolean {
  return Array.isArray(value) && value.includes(item);
}

/**
 * The places that the host itself sends requests to, as `host:port`. The issuer's own is the first. The authorization
 * endpoint is not among them: only the browser goes there.
 */
export function placesOf(server: AuthorizationServer): readonly string[] {
  const { issuer, tokenEndpoint, registrationEndpoint, revocationEndpoint } = server;
  const urls = [issuer, tokenEndpoint, registrationEndpoint, revocationEndpoint];
  return [...new Set(urls.filter((it) => it !== undefined).map(placeOf))];
}
