/** Which calls to show. Absent members allow everything. */
export interface ActivityFilter {
  /** Milliseconds since 1970. */
  readonly since?: number | undefined;
  readonly until?: number | undefined;
  readonly package?: string | undefined;
  /** The name of a tool, or `package/tool`. */
  readonly tool?: string | undefined;
  /** A principal, or its last part. */
  readonly client?: string | undefined;
  readonly statuses?: readonly string[] | undefined;
  /** A part of the tool, principal, reason or id of the call, in any case. */
  readonly text?: string | undefined;
}

/** One call, as the audit log has it. */
export interface ActivityCall {
  /** Number of its first entry in the audit log. */
  readonly seq: number;
  readonly call: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** `package/tool`, or what a caller named. */
  readonly tool: string;
  readonly principal: string;
  /** Such as `ok`, `error`, `held`, `denied`, `rejected`, `timeout`; `running`: no end yet; `unknown`: the host stopped meanwhile. */
  readonly status: string;
  /** Why it was denied, rejected or held, or how it failed. Empty: nothing to say. */
  readonly reason: string;
  /** Null while it runs, and for calls that never ran. */
  readonly durationMs: number | null;
  /** Id of the approval that it waited for or used; null if it needed none. */
  readonly approval: string | null;
}

/** A part of a list of calls, newest first. */
export interface ActivityPage {
  /** How many calls fit the filter. */
  readonly total: number;
  readonly calls: readonly ActivityCall[];
  /** False if older calls exist that are no longer in this list. The audit log has them. */
  readonly complete: boolean;
}

/** Durations in milliseconds; null if no call ended. */
export interface LatencyPercentiles {
  readonly p50: number | null;
  readonly p95: number | null;
  readonly p99: number | null;
}

/** The calls of a span of time, counted. */
export interface ActivitySummary {
  /** Milliseconds since 1970. */
  readonly from: number;
  readonly to: number;
  readonly bucketMs: number;
  readonly total: number;
  readonly statuses: Readonly<Record<string, number>>;
  /** One for each `bucketMs`, oldest first; `counts` has the statuses that occurred. */
  readonly buckets: readonly {
    readonly at: number;
    readonly counts: Readonly<Record<string, number>>;
    readonly latency: LatencyPercentiles;
  }[];
  readonly latency: LatencyPercentiles;
  /** The most called tools first. */
  readonly tools: readonly ActivityGroup[];
  /** The principals with the most calls first. */
  readonly principals: readonly ActivityGroup[];
  /** Why calls were held, and how often. */
  readonly holds: Readonly<Record<string, number>>;
  /** False if older calls of this span are no longer in the list. */
  readonly complete: boolean;
}

/** The calls of one tool or principal. */
export interface ActivityGroup {
  readonly name: string;
  readonly calls: number;
  /** Calls that did not end with `ok`, without those that are held or still running. */
  readonly failed: number;
  readonly held: number;
  readonly latency: LatencyPercentiles;
}
