/** What one visitor may take of the host. Tests use smaller ones. */
export interface HttpLimits {
  readonly bodyBytes: number;
  readonly headerBytes: number;
  /** Until all headers must have come. */
  readonly headersMs: number;
  /** Until the whole request must have come. */
  readonly requestMs: number;
  /** Until a visitor must have taken what was sent to it. */
  readonly readMs: number;
  /** How long an open connection may lie idle between requests. */
  readonly idleMs: number;
  readonly connections: number;
  readonly connectionsPerToken: number;
  /** Requests of one token under way at once. */
  readonly requestsPerToken: number;
  /** What calls under way get when the server ends. */
  readonly graceMs: number;
  /** People and programs that an identity provider vouches for, at once. */
  readonly signedIn: number;
  readonly sessions: number;
  readonly sessionsPerToken: number;
  readonly sessionIdleMs: number;
  /** How often a silent stream says that it is alive. */
  readonly pingMs: number;
  /** How often revoked tokens and idle sessions are looked for. */
  readonly sweepMs: number;
}

export const defaultLimits: HttpLimits = {
  bodyBytes: 4 * 1024 * 1024,
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
  sweepMs: 5_000,
};
