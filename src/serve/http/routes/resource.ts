import { metadataPath, protectedResource, resourcePaths } from '../oidc/protected-resource.js';
import type { Provider } from '../oidc/provider.js';
import type { Route } from '../route.js';

/** Who would let a client in: told to anybody, because nobody can sign in without knowing it. */
export function resourceRoutes(provider: Provider): readonly Route[] {
  return resourcePaths.map((of) => ({
    method: 'GET',
    path: metadataPath(of),
    role: 'anybody',
    summary: `Who signs people in for ${of === '' ? 'this server' : of} (RFC 9728).`,
    answers: {
      200: {
        text: 'The metadata of a protected resource.',
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
    open: (origin: string) => ({ body: protectedResource(origin, of, provider) }),
  }));
}
