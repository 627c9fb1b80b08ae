import { HostError } from '../../model/host-error.js';
import { type BearerChallenge, bearerChallenge } from '../../run/oauth/bearer-challenge.js';
import { checkedUrl, type OAuthAccess } from '../../run/oauth/oauth-request.js';
import type { RequestedSignIns } from './requested-sign-ins.js';
import type { SignInServer } from './sign-in-server.js';

const timeoutMs = 10_000;
const bodyBytes = 256 * 1024;

/** The request that begins an MCP conversation. A server that wants a sign-in answers 401. */
const firstRequest = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'toolwharf', version: '1' },
  },
});

/** What the server asks for now, or asked for in a call before. Throws if it asks for nothing. */
export async function askServer(
  server: SignInServer,
  { client, reach, signal }: OAuthAccess,
  requested: RequestedSignIns,
): Promise<BearerChallenge> {
  const { url } = server;
  const { host } = checkedUrl(url, 'the address of the server');
  const { status, headers, body } = await client.open({
    method: 'POST',
    url,
    headers: {
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      'user-agent': 'toolwharf',
    },
    body: firstRequest,
    reach,
    limits: { wallMs: timeoutMs, bodyBytes },
    credential: true,
    signal,
  });
  body.destroy();
  await requested.load();
  if (status === 401) return bearerChallenge(headers['www-authenticate']) ?? { scopes: [] };
  // Some servers ask only when a tool is called.
  const before = requested.get(server);
  if (before !== undefined) return before;
  throw new HostError('not_supported', `${host} does not ask for a sign-in; it answered ${status}`);
}
