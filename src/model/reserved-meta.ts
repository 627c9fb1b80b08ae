import type { JsonObject } from './json.js';

/** Removes `_meta` keys of the protocol, which are for one hop only, and of the host, which a server must not forge. */
export function withoutReservedMeta(meta: JsonObject): JsonObject {
  const isReserved = (key: string) => /^(?:io\.modelcontextprotocol|toolwharf)\//i.test(key);
  return Object.fromEntries(Object.entries(meta).filter(([key]) => !isReserved(key)));
}

/** The member of `_meta` in which a trusted client passes on what its user wrote. */
export const userTextKey = 'toolwharf/user-text';

/** The member of `_meta` in which a client names the session that a request belongs to. */
export const sessionNameKey = 'toolwharf/session';
