import type { IdentityProvider } from '../oidc/identity-provider.js';
import { metadataPath, protectedResource, resourcePaths } from '../oidc/protected-resource.js';
import type { Route } from '../route.js';

/** Metadata about the identity provider. Public, because a client needs it before it can sign in. */
export function protectedResourceRoutes(provider: IdentityProvider): readonly Route[] {
  return resourcePaths.map((path) => ({
    method: 'GET',
    path: metadataPath(path),
    role: 'public',
    summary: `Get the authorization server of ${path === '' ? 'this host' : path} (RFC 9728).`,
    responses: {
      200: {
        description: 'Protected resource metadata.',
        schema: {
          type: 'object',
          required: ['resource', 'authorization_servers'],
          properties: {
            resource: { type: 'string', format: 'uri' },
            authorization_servers: { type: 'array', items: { type: 'string', format: 'uri' } },
          },
        },
      },
    },
    respond: (origin: string) => ({ body: protectedResource(origin, path, provider) }),
  }));
}
