// Servers of the revision 2025-03-26 are their own authorization servers: its metadata is at the origin of the server, and
// without metadata the endpoints have fixed paths there.
import { HostError } from '../../model/host-error.js';
import { type OAuthAccess, sendOAuth } from './oauth-request.js';

/** Paths of the endpoints of a server that publishes no metadata at all. */
export const defaultPaths2025 = {
  authorization_endpoint: '/authorize',
  token_endpoint: '/token',
  registration_endpoint: '/register',
} as const;

/**
 * How the authorization server at the origin of a server calls itself; undefined if there is none. Only the server
 * itself is asked, which is being used anyway.
 */
export async function ownIssuer(server: string, access: OAuthAccess): Promise<string | undefined> {
  const { origin, host } = new URL(server);
  for (const name of ['oauth-authorization-server', 'openid-configuration']) {
    const { status, content } = await sendOAuth({ url: `${origin}/.well-known/${name}` }, access);
    if (status >= 500)
      throw new HostError('upstream_failed', `${host} answered ${status} to a request for its metadata`, {
        transient: {},
      });
    if (status < 200 || status > 299 || content === undefined) continue;
    // Both are the same URL, and libraries publish either of them.
    if (content.issuer === origin || content.issuer === `${origin}/`) return content.issuer;
    throw new HostError('upstream_failed', `the metadata at ${host} is for another authorization server`, {
      hint: `without protected resource metadata (RFC 9728), its "issuer" must be ${origin}; ask its provider`,
    });
  }
  // A token endpoint answers an empty request with an error of OAuth. Other servers that answer 401 have none.
  const { content } = await sendOAuth(
    { url: `${origin}${defaultPaths2025.token_endpoint}`, form: {} },
    access,
  );
  return typeof content?.error === 'string' ? origin : undefined;
}
