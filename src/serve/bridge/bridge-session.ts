import type { IncomingMessage } from 'node:http';
import type { JsonObject } from '../../model/json.js';

/** What the server said about the session of a client of the 2025 era. A new object for each session. */
export interface BridgeSession {
  /** Undefined: the server keeps no sessions. */
  readonly id: string | undefined;
  readonly revision: string | undefined;
}

/** Before `initialize`, and in the 2026 era. */
export const noSession: BridgeSession = { id: undefined, revision: undefined };

export function sessionHeaders({ id, revision }: BridgeSession): Record<string, string> {
  return {
    ...(id === undefined ? {} : { 'mcp-session-id': id }),
    ...(revision === undefined ? {} : { 'mcp-protocol-version': revision }),
  };
}

/** The session that the answer to `initialize` begins. */
export function sessionIn({ headers }: IncomingMessage, { protocolVersion }: JsonObject): BridgeSession {
  const id = headers['mcp-session-id'];
  return {
    id: typeof id === 'string' ? id : undefined,
    revision: typeof protocolVersion === 'string' ? protocolVersion : undefined,
  };
}
