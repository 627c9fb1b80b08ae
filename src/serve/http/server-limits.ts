/** Limits of the HTTP server. Times in milliseconds. Tests use smaller values. */
export interface HttpServerLimits {
  readonly bodyBytes: number;
  /** Bytes of all bodies of one token that are read or processed at the same time. */
  readonly openBytesPerToken: number;
  /** The same for all tokens together. */
  readonly openBytes: number;
  readonly headerBytes: number;
  /** Time to receive all headers. */
  readonly headersMs: number;
  /** Time to receive the whole request. */
  readonly requestMs: number;
  /** Time for the client to read the response. */
  readonly readMs: number;
  /** Time a connection may be idle between requests. */
  readonly idleMs: number;
  readonly connections: number;
  readonly connectionsPerToken: number;
  /** Concurrent requests of one token. */
  readonly requestsPerToken: number;
  /** Time that running calls get when the server stops. */
  readonly graceMs: number;
  /** Callers signed in through an identity provider at the same time. */
  readonly signedIn: number;
  readonly sessions: number;
  readonly sessionsPerToken: number;
  readonly sessionIdleMs: number;
  /** Interval between keep-alive comments on a stream. */
  readonly pingMs: number;
  /** After this time an answer becomes a stream that a client of a session can resume. */
  readonly resumableMs: number;
  /** Time for a client to come back to a stream whose connection broke. Then its calls are canceled. */
  readonly resumeMs: number;
  /** Bytes of messages that are kept for clients of one token that come back. */
  readonly replayBytesPerToken: number;
  /** The same for all tokens together. */
  readonly replayBytes: number;
  /** Interval between checks for revoked tokens and idle sessions. */
  readonly sweepMs: number;
}

export const defaultHttpServerLimits: HttpServerLimits = {
  bodyBytes: 4 * 1024 * 1024,
  openBytesPerToken: 32 * 1024 * 1024,
  openBytes: 128 * 1024 * 1024,
  headerBytes: 16 * 1024,
  headersMs: 10_000,
  requestMs: 30_000,
  readMs: 30_000,
  idleMs: 30_000,
  connections: 4096,
  connectionsPerToken: 256,
  requestsPerToken: 256,
  graceMs: 5_000,
  signedIn: 1000,
  sessions: 1000,
  sessionsPerToken: 256,
  sessionIdleMs: 30 * 60_000,
  pingMs: 15_000,
  resumableMs: 250,
  resumeMs: 60_000,
  replayBytesPerToken: 16 * 1024 * 1024,
  replayBytes: 64 * 1024 * 1024,
  sweepMs: 5_000,
};
