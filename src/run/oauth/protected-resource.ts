import { HostError } from '../../model/host-error.js';
import type { JsonObject } from '../../model/json.js';
import { type BearerChallenge, validScopes } from './bearer-challenge.js';
import { checkedUrl, type OAuthAccess, sendOAuth } from './oauth-request.js';
import { ownIssuer } from './own-issuer.js';

/** What a server publishes about sign-ins (RFC 9728). */
export interface ProtectedResource {
  /** The name of the server in sign-ins: its URL, or one above it on the same host. */
  readonly resource: string;
  /** Its authorization servers; at least one. */
  readonly issuers: readonly string[];
  /** Undefined: it names none. */
  readonly scopes: readonly string[] | undefined;
  /** It publishes none of this, as before 2025-06-18: its own origin is its authorization server. */
  readonly isAssumed?: boolean;
}

const suffix = '/.well-known/oauth-protected-resource';
const maxIssuers = 8;

/**
 * Fetches the metadata of a server. Only the server itself is asked: an address of another host in its challenge could
 * lead anywhere, also into the local network.
 */
export async function fetchProtectedResource(
  server: string,
  challenge: BearerChallenge | undefined,
  access: OAuthAccess,
): Promise<ProtectedResource> {
  const { host } = checkedUrl(server, 'the address of the server');
  for (const url of resourceMetadataUrls(server, challenge)) {
    const { status, content } = await sendOAuth({ url }, access);
    if (status >= 500)
      throw new HostError('upstream_failed', `${host} answered ${status} to a request for its metadata`, {
        transient: {},
      });
    if (status >= 200 && status <= 299 && content !== undefined) return checkedResource(server, content);
  }
  // A server that names the address of its metadata must have it there.
  const issuer = challenge?.resourceMetadata === undefined ? await ownIssuer(server, access) : undefined;
  if (issuer !== undefined)
    return {
      resource: server.replace(/#.*$/s, ''),
      issuers: [issuer],
      scopes: undefined,
      isAssumed: true,
    };
  throw new HostError('not_supported', `${host} does not say where to sign in`, {
    hint: 'it publishes no metadata about sign-ins (RFC 9728, RFC 8414); ask its provider',
  });
}

/** The address in the challenge, else the well-known ones in their order. */
export function resourceMetadataUrls(
  server: string,
  challenge: BearerChallenge | undefined,
): readonly string[] {
  const { origin, host, pathname } = new URL(server);
  const announced = challenge?.resourceMetadata;
  if (announced === undefined) {
    const path = pathname.replace(/\/$/, '');
    return [...new Set([`${origin}${suffix}${path}`, `${origin}${suffix}`])];
  }
  const url = checkedUrl(announced, `the metadata address that ${host} sent`);
  if (url.origin !== origin)
    throw new HostError('network_denied', `${host} says that its metadata is at another host: ${url.host}`, {
      hint: 'nothing was sent there; a server must publish its metadata itself',
    });
  return [url.href];
}

function checkedResource(server: string, content: JsonObject): ProtectedResource {
  const { host } = new URL(server);
  const { resource, authorization_servers: issuers, scopes_supported: scopes } = content;
  if (typeof resource !== 'string' || !isResourceOf(server, resource))
    throw new HostError('upstream_failed', `the metadata of ${host} is for another server`, {
      hint: 'its "resource" must be the address of the server; ask its provider',
    });
  const listed = (Array.isArray(issuers) ? issuers : []).slice(0, maxIssuers);
  const valid = listed.filter((it): it is string => typeof it === 'string');
  for (const it of valid) checkedIssuer(it);
  if (valid.length === 0)
    throw new HostError('upstream_failed', `the metadata of ${host} names no authorization server`);
  return {
    resource,
    issuers: [...new Set(valid)],
    scopes: Array.isArray(scopes) ? validScopes(scopes) : undefined,
  };
}

/** Throws if a text cannot be the name of an authorization server. */
export function checkedIssuer(issuer: string): URL {
  const url = checkedUrl(issuer, 'the address of the authorization server');
  if (url.search !== '' || /[^\x21-\x7e]/.test(issuer))
    throw new HostError('upstream_failed', 'the address of the authorization server is not valid');
  return url;
}

/** Whether a resource is the server, or contains it: same origin, and the same path or one above. */
export function isResourceOf(server: string, resource: string): boolean {
  if (!URL.canParse(resource)) return false;
  const [own, named] = [new URL(server), new URL(resource)];
  if (named.origin !== own.origin || named.hash !== '' || named.username !== '') return false;
  if (named.search !== '' && named.search !== own.search) return false;
  const path = named.pathname.replace(/\/$/, '');
  return own.pathname.replace(/\/$/, '') === path || own.pathname.startsWith(`${path}/`);
}
