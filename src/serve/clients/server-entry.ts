import type { JsonObject } from '../../model/json.js';
import type { ClientTransport } from './client.js';

/** Members of an entry that Toolwharf writes. All others belong to the person. */
export const managedMembers = ['type', 'command', 'args', 'url', 'httpUrl', 'serverUrl', 'headers'] as const;

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
