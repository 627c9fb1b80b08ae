import type { Json } from './json.js';

/**
 * proposed → approved | denied | expired; approved → executing → executed. `executing` without an end is a
 * call whose outcome is unknown: it is never run again.
 */
export type ApprovalState = 'proposed' | 'approved' | 'denied' | 'expired' | 'executing' | 'executed';

export interface ApprovalRequest {
  readonly id: string;
  readonly principal: string;
  readonly session: string;
  /** `package/tool`. */
  readonly tool: string;
  /** Digest of the package that was shown; another definition voids the request. */
  readonly definition: string;
  readonly arguments: Json;
  readonly argumentsDigest: string;
  readonly kind: string;
  readonly reasons: readonly string[];
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly state: ApprovalState;
  readonly answer: Json | null;
}
