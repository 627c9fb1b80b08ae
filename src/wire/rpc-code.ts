// Error codes of JSON-RPC 2.0 that the host uses as a server and as a client.

export const methodNotFound = -32601;
export const internalError = -32603;
