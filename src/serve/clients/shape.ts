import type { JsonObject } from '../../model/json.js';
import type { Road } from './client.js';

/** Members that Toolwharf writes into an entry; whatever else is there belongs to the person. */
export const ownMembers = ['type', 'command', 'args', 'url', 'httpUrl', 'serverUrl', 'headers'] as const;

/** For clients that tell by the members what kind of server it is. */
export function plainEntry(road: Road, urlMember: 'url' | 'httpUrl' | 'serverUrl'): JsonObject {
  return road.kind === 'stdio'
    ? { command: road.command, args: road.args }
    : { [urlMember]: road.url, headers: { Authorization: road.authorization } };
}

/** For clients that want to be told. */
export function typedEntry(road: Road): JsonObject {
  return { type: road.kind, ...plainEntry(road, 'url') };
}
