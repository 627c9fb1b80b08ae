import type { JsonObject } from '../../model/json.js';
import type { ClientTransport } from './client.js';

/** The members of the entries below. */
export const entryMembers = ['type', 'command', 'args', 'url', 'httpUrl', 'serverUrl', 'headers'];

/** For clients that detect the kind of server from its members. */
export function plainEntry(
  transport: ClientTransport,
  urlMember: 'url' | 'httpUrl' | 'serverUrl',
): JsonObject {
  return transport.kind === 'stdio'
    ? { command: transport.command, args: transport.args }
    : { [urlMember]: transport.url, headers: { Authorization: transport.authorization } };
}

/** For clients that need a `type` member. */
export function typedEntry(transport: ClientTransport): JsonObject {
  return { type: transport.kind, ...plainEntry(transport, 'url') };
}
