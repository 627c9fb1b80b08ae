import { HostError } from '../../model/host-error.js';
import type { Operator, VerifiedActor } from './operator-auth.js';
import type { TokenCache } from './token-cache.js';

/**
 * The actor of an approval that was given at an MCP client. The agent writes what its client sends, so an answer counts
 * only if the operator allowed this client to approve, and only for calls of that client. Throws `denied` otherwise.
 */
export async function clientApprover(
  { client }: Operator,
  principal: string,
  tokens: TokenCache,
): Promise<VerifiedActor> {
  const token = client === undefined ? undefined : await tokens.get(client);
  if (token === undefined || token.may_approve !== 1 || token.principal !== principal)
    throw new HostError('denied', 'this client may not approve held calls', {
      hint: 'approve it outside of the client: toolwharf approvals list',
    });
  return { by: token.principal, channel: 'client', verified: false };
}
