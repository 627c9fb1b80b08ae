import type { Json } from '../../model/json.js';
import type { PeerRequest } from '../rpc/peer-channel.js';
import type { LogLimits } from '../upstream/rate-limited-log.js';
import type { UpstreamEnd } from '../upstream/upstream.js';

/** A connection to an extension, over any transport. */
export interface NexoTransport {
  /** Rejects with an RpcFailure if the extension answers with an error, else with a HostError. */
  request(request: PeerRequest): Promise<Json>;
  /** Called after a successful `initialize`, with the version of the extension. */
  initialized(version: string | undefined): void;
  /** Hosts that it was denied since the last call, as `host:port`. */
  takeDeniedHosts(): readonly string[];
  /** Since the last call of this method. Undefined: it has no network, or that cannot be known. */
  takeContactedHosts(): readonly string[] | undefined;
  readonly ended: Promise<UpstreamEnd>;
  /** Closes the connection. `immediately`: without a shutdown request and grace period. */
  close(reason: string, how: 'gracefully' | 'immediately'): Promise<void>;
}

/** Timeouts of the format, in milliseconds. */
export interface NexoTimes {
  readonly handshake: number;
  /** Time between the shutdown request and the kill. */
  readonly grace: number;
  /** Interval between heartbeats of an extension that runs elsewhere. */
  readonly heartbeat: number;
  /** Time for an answer to `initialize` in one form of NATS messages, before it is sent in the other form too. */
  readonly form: number;
}

export const nexoTimes: NexoTimes = Object.freeze({
  handshake: 10_000,
  grace: 3000,
  heartbeat: 15_000,
  form: 500,
});

/** Number of missed heartbeats after which an extension counts as unreachable. */
export const missedHeartbeats = 3;

/** For the log lines of one extension. */
export const nexoLogLimits: LogLimits = { lines: { burst: 200, perSecond: 20 }, lineLength: 2000 };
