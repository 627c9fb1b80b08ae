// What a package really uses, and the smallest grant for it. host.ts exports these types.
import type { LearnProposal } from '../../model/learning.js';
import type { Narrowing } from '../../model/narrowing.js';
import type { Actor } from '../operator/operator-auth.js';

/** Learns what packages use, and narrows them to it. */
export interface Learning {
  /** Also watches whether calls of the package change files, for some time. It costs a look at all files per call. */
  watch(request: WatchRequest): Promise<WatchedTime>;
  /** The smallest grant for what the package used since a time. Changes nothing. */
  propose(request: ProposalRequest): Promise<LearnProposal>;
  /** Narrows the package. It stays narrowed over updates, until `undo` or its removal. */
  apply(request: NarrowRequest): Promise<Narrowing>;
  /** False if the package was not narrowed. */
  undo(packageId: string, actor: Actor): Promise<boolean>;
}

export interface WatchRequest {
  readonly package: string;
  readonly seconds: number;
}

export interface WatchedTime {
  /** Milliseconds since 1970. */
  readonly since: number;
  readonly until: number;
}

export interface ProposalRequest {
  readonly package: string;
  /** Milliseconds since 1970. Default: since it is watched, or the last 7 days. */
  readonly since?: number | undefined;
}

export interface NarrowRequest {
  readonly package: string;
  /** The only `host:port` that it may reach. Null: not narrowed. */
  readonly network: readonly string[] | null;
  /** It may not change the workspace. */
  readonly noWriting: boolean;
  /** Hosts to grant in addition to the manifest and to earlier grants, such as `net:api.example.com:443`. Default: none. */
  readonly grants?: readonly string[] | undefined;
  readonly by: Actor;
}
