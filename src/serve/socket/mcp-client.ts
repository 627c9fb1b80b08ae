import type { Tokens } from '../../host/host.js';
import { HostError } from '../../model/host-error.js';

/** What an MCP client on the socket says about itself. */
export interface McpClientClaim {
  readonly principal: string;
  readonly clientKey: string | undefined;
  /** A new random id. */
  readonly connectionId: string;
}

/** Who an MCP client on the socket is. */
export interface McpClientIdentity {
  readonly principal: string;
  /** Which client of the principal; undefined for a client with a key, which is a principal of its own. */
  readonly client: string | undefined;
  /** Id of its key; null if it has none. */
  readonly key: string | null;
  /** Id of its key if the operator allowed it to approve held calls. */
  readonly approver: string | null;
}

/**
 * The identity of a client comes only from its key. The name that it claims in MCP counts for nothing. Clients without a
 * key are one principal, so that none of them escapes a limit or a kill by connecting again. Each connection of theirs has
 * its own processes and held calls.
 */
export async function identifyMcpClient(
  tokens: Pick<Tokens, 'check'>,
  { principal, clientKey, connectionId }: McpClientClaim,
): Promise<McpClientIdentity> {
  if (clientKey === undefined) {
    // Otherwise it could claim the principal of a client with a key.
    if (!/^[^/#]+\/mcp$/.test(principal))
      throw new HostError('usage', 'the principal of an MCP client without a key must be USER/mcp');
    return { principal, client: connectionId, key: null, approver: null };
  }
  const entry = await tokens.check(clientKey);
  if (entry === null || entry.kind !== 'stdio') throw unknownClientKey();
  const { id } = entry;
  return { principal: entry.principal, client: undefined, key: id, approver: entry.mayApprove ? id : null };
}

export function unknownClientKey(): HostError {
  return new HostError('auth_required', 'the key of this client is not valid: it was revoked or replaced', {
    hint: 'connect the client again: toolwharf connect CLIENT; then restart it',
  });
}
