import type { Json } from './json.js';

/**
 * proposed → approved | denied | expired; approved → executing → executed. `executing` without an end is a
 * call whose outcome is unknown: it is never run again. `void`: what was decided about is no longer what would run.
 */
export type ApprovalState =
  | 'proposed'
  | 'approved'
  | 'denied'
  | 'expired'
  | 'void'
  | 'executing'
  | 'executed';

/** Everything that a decision is about. Where any of it is another, it is another call. */
export interface ApprovalBinding {
  readonly principal: string;
  /** `package/tool`. */
  readonly tool: string;
  /** Digest of the package that was shown. */
  readonly definition: string;
  /** Of the arguments, and of where the call would work with which grants. */
  readonly argumentsDigest: string;
  /** Digest of the operator's policy. */
  readonly policy: string;
  /** Digest of which credentials the package has, and who may receive them. */
  readonly credentials: string;
}

/** One fact that a person needs to judge a call, taken from the call itself. */
export interface Evidence {
  readonly kind: 'effect' | 'destination' | 'amount' | 'address' | 'workspace' | 'grant';
  readonly text: string;
  /** JSON pointer into the arguments, where it comes from them. */
  readonly at?: string;
}

/** How somebody reached the host. `client`: the person at an MCP client, who was asked through it. */
export type Channel = 'library' | 'terminal' | 'api' | 'client';

export interface ApprovalDecision {
  readonly by: string;
  readonly channel: Channel;
  /** Whether the operator's PIN was shown. */
  readonly verified: boolean;
  /** Milliseconds since 1970. */
  readonly at: number;
}

export interface ApprovalRequest extends ApprovalBinding {
  readonly id: string;
  readonly session: string;
  readonly arguments: Json;
  readonly kind: string;
  readonly reasons: readonly string[];
  readonly evidence: readonly Evidence[];
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly state: ApprovalState;
  readonly decision: ApprovalDecision | null;
  /** What changed, for a request that is void. */
  readonly voidReason: string | null;
  readonly answer: Json | null;
}
