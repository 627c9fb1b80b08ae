import type { IdentityProvider } from './identity-provider.js';

const wellKnownPath = '/.well-known/oauth-protected-resource';

/** Paths with protected resource metadata (RFC 9728), which clients read before they sign in. '' is the whole server. */
export const resourcePaths = ['', '/mcp'] as const;

export type ResourcePath = (typeof resourcePaths)[number];

export function metadataPath(path: ResourcePath): string {
  return `${wellKnownPath}${path}`;
}

/** Metadata that tells a client without a token which authorization server to use. */
export function protectedResource(origin: string, path: ResourcePath, { issuer }: IdentityProvider) {
  return {
    resource: `${origin}${path}`,
    resource_name: 'Toolwharf',
    authorization_servers: [issuer],
    bearer_methods_supported: ['header'],
  };
}

/** The `WWW-Authenticate` header of a 401. `reason` is always our own text and contains no quotes. */
export function challenge(
  origin: string,
  path: string,
  provider: IdentityProvider | undefined,
  reason?: string,
): string {
  const parts = ['realm="toolwharf"'];
  if (reason !== undefined) parts.push('error="invalid_token"', `error_description="${reason}"`);
  const resource = path === '/mcp' ? '/mcp' : '';
  if (provider !== undefined) parts.push(`resource_metadata="${origin}${metadataPath(resource)}"`);
  return `Bearer ${parts.join(', ')}`;
}
