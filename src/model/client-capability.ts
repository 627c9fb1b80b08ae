/** JSON-RPC error of the 2026 era: the request needs a capability that its client did not declare. */
export const missingCapabilityCode = -32021;

/** JSON-RPC error of revision 2025-11-25: the user must open pages before the request is made again. */
export const pagesRequiredCode = -32042;

/** Capabilities of a client that a server may miss. */
export const missableCapabilities = ['elicitation', 'sampling', 'roots'] as const;
