import type { Provider } from './provider.js';

const place = '/.well-known/oauth-protected-resource';

/** What can be asked for about this server before anybody signed in (RFC 9728), by the path it is about. */
export const resourcePaths = ['', '/mcp'] as const;

export type ResourcePath = (typeof resourcePaths)[number];

export function metadataPath(of: ResourcePath): string {
  return `${place}${of}`;
}

/** Where a client that was turned away learns who would let it in. */
export function protectedResource(origin: string, of: ResourcePath, { issuer }: Provider) {
  return {
    resource: `${origin}${of}`,
    resource_name: 'Toolwharf',
    authorization_servers: [issuer],
    bearer_methods_supported: ['header'],
  };
}

/** The header of a refusal: why, and where to ask. Reasons are our own words and hold no quotes. */
export function challenge(
  origin: string,
  path: string,
  provider: Provider | undefined,
  why?: string,
): string {
  const parts = ['realm="toolwharf"'];
  if (why !== undefined) parts.push('error="invalid_token"', `error_description="${why}"`);
  const of = path === '/mcp' ? '/mcp' : '';
  if (provider !== undefined) parts.push(`resource_metadata="${origin}${metadataPath(of)}"`);
  return `Bearer ${parts.join(', ')}`;
}
