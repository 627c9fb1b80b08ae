/** JSON-RPC error of the 2026 era: the request needs a capability that its client did not declare. */
export const missingCapabilityCode = -32021;

/** Capabilities of a client that a server may miss. */
export const missableCapabilities = ['elicitation', 'sampling', 'roots'] as const;
