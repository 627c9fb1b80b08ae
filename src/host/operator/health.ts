// What the host knows about itself. host.ts exports all of it.
import type { Check } from './operator.js';

/** Whether this host and its machine work, and what of their limits is in use. */
export interface Health {
  /** What the host knows without testing anything. */
  overview(): Promise<HealthOverview>;
  /**
   * Tests what this machine enforces, like `toolwharf doctor`, with what this host uses. Takes some seconds, and 256 MB for
   * a moment. Only one test runs at a time.
   */
  check(): Promise<readonly Check[]>;
}

/** The state of a running host. */
export interface HealthOverview {
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly node: string;
  /** Such as `linux on x64`. */
  readonly platform: string;
  /** What the sandbox really enforces. `reasons`: empty if it enforces everything. */
  readonly sandbox: {
    readonly name: string;
    readonly level: 'enforced' | 'degraded' | 'unavailable';
    readonly reasons: readonly string[];
    readonly fix: string | null;
  };
  /** How many calls are in progress. */
  readonly activeCalls: number;
  readonly disk: DiskUse;
  /** Limits of packages and of the operator that calls used. */
  readonly limits: readonly LimitUse[];
}

/** The disk with the state directory. */
export interface DiskUse {
  /** The state directory. */
  readonly path: string;
  /** Bytes that are free for this user. */
  readonly freeBytes: number;
  readonly totalBytes: number;
  /** The entries of the state directory with the most bytes. */
  readonly parts: readonly { readonly name: string; readonly bytes: number }[];
  /** False if there are too many files to count; then the parts are too small. */
  readonly complete: boolean;
}

/** How much of one limit is used within its sliding window. */
export interface LimitUse {
  readonly principal: string;
  /** `package/tool`, or a package. */
  readonly tool: string;
  readonly kind: 'calls' | 'amount';
  readonly windowMs: number;
  readonly used: number;
  /** Null: no call asked for it since the host started, so its maximum is not known. */
  readonly max: number | null;
}
