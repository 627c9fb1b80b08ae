import { HostError } from '../../model/host-error.js';
import { mayReceive } from '../../model/host-name.js';
import type { AuthorizationServer } from '../../run/oauth/authorization-server.js';
import { configuredClient, type OAuthClient, registerClient } from '../../run/oauth/oauth-client.js';
import type { OAuthAccess } from '../../run/oauth/oauth-request.js';
import { oauthClientPackage } from '../../secrets/sign-in-record.js';
import type { Vault } from '../../secrets/vault.js';
import type { OAuthPolicy } from '../session-policy.js';

/** Who this host is, and the authorization server with only those endpoints that the client may use. */
export interface ChosenClient {
  readonly client: OAuthClient;
  readonly server: AuthorizationServer;
}

interface ClientSources {
  readonly access: OAuthAccess;
  readonly vault: Vault;
  readonly policy: OAuthPolicy | undefined;
}

/**
 * Who this host is to an authorization server, in the order of the MCP specification: a client that the operator
 * registered, the document of the operator about the client, or a registration of its own.
 */
export async function chooseClient(
  server: AuthorizationServer,
  redirectUri: string,
  scopes: readonly string[],
  { access, vault, policy = {} }: ClientSources,
): Promise<ChosenClient> {
  const { issuer, acceptsClientDocuments, registrationEndpoint } = server;
  const id = policy.clients?.[issuer];
  if (id !== undefined) return registeredClient(id, server, vault);
  if (acceptsClientDocuments && policy.clientMetadataUrl !== undefined)
    return { client: { id: policy.clientMetadataUrl, method: 'none' }, server };
  if (registrationEndpoint !== undefined)
    return { client: await registerClient(server, redirectUri, scopes, access), server };
  throw new HostError('needs_setup', `${new URL(issuer).host} registers no clients by itself`, {
    hint: `register a client there with the redirect address ${redirectUri}, then set oauth.clients = ["${issuer} CLIENT_ID"]${acceptsClientDocuments ? ', or publish a client document and set oauth.client_metadata_url' : ''}`,
  });
}

/**
 * The secret of a registered client is sent only to the authorization server that it belongs to. Tokens cannot be revoked
 * at another host then.
 */
async function registeredClient(
  id: string,
  server: AuthorizationServer,
  vault: Vault,
): Promise<ChosenClient> {
  const { issuer, tokenEndpoint } = server;
  const stored = await vault.value(oauthClientPackage, issuer);
  const client = configuredClient(id, stored?.value, server);
  if (stored === undefined) return { client, server };
  const { audience } = stored;
  const isAllowed = (url: string) => {
    const { hostname } = new URL(url);
    return audience.kind === 'hosts' ? mayReceive(audience, hostname) : hostname === new URL(issuer).hostname;
  };
  if (!isAllowed(tokenEndpoint)) {
    const { hostname } = new URL(tokenEndpoint);
    throw new HostError('denied', `the secret of the client at ${issuer} may not be sent to ${hostname}`, {
      hint: `if it may: toolwharf secret set ${oauthClientPackage} ${issuer} --host ${hostname}`,
    });
  }
  const { revocationEndpoint, ...others } = server;
  return {
    client,
    server: revocationEndpoint === undefined || isAllowed(revocationEndpoint) ? server : others,
  };
}
