import type { Json } from '../../model/json.js';
import type { UpstreamEnd } from '../upstream/upstream.js';
import type { Question } from './peer.js';

/** One way to an extension, whatever carries it. */
export interface Wire {
  /** Rejects with an RpcFailure where the extension says no, else with a HostError. */
  ask(question: Question): Promise<Json>;
  /** It came up and said which version it is. */
  introduced(version: string | undefined): void;
  /** What it was kept from reaching since the last look, as `host:port`. */
  refusals(): readonly string[];
  readonly ended: Promise<UpstreamEnd>;
  /** Ends it. `at once`: one that never came up gets no notice and no time. */
  close(reason: string, how: 'kindly' | 'at once'): Promise<void>;
}

/** Milliseconds, as the format has them. */
export interface NexoTimes {
  readonly handshake: number;
  /** From the notice that it should stop until it is ended. */
  readonly grace: number;
  /** Between two signs of life of an extension that runs elsewhere. */
  readonly heartbeat: number;
}

export const nexoTimes: NexoTimes = Object.freeze({ handshake: 10_000, grace: 3000, heartbeat: 15_000 });

/** Signs of life in a row that may be missing. */
export const missedHeartbeats = 3;
