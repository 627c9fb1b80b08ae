import type { ActivityFilter, ActivityPage, ActivitySummary } from '../../model/activity.js';
import type { AuditEntry } from './audit-reader.js';

/** A span of time, divided into equal parts. */
export interface ActivitySpan extends ActivityFilter {
  /** Milliseconds since 1970. */
  readonly since: number;
  /** Default: now. */
  readonly until?: number | undefined;
  /** How many parts, from 1 to 500. Default: 60. */
  readonly buckets?: number | undefined;
}

export interface ActivityQuery extends ActivityFilter {
  /** Only calls with a smaller `seq`: a list that goes on from there does not move when new calls arrive. */
  readonly before?: number | undefined;
  /** Only calls with a larger `seq`. */
  readonly after?: number | undefined;
  /** How many of the newest calls to leave out. Default: 0. */
  readonly offset?: number | undefined;
  /** At most 1000. Default: 100. */
  readonly limit?: number | undefined;
}

/** What callers did, from the audit log: the newest 200,000 calls. */
export interface Activity {
  /** Counts calls by time, status, tool and principal. */
  summary(span: ActivitySpan): Promise<ActivitySummary>;
  /** Lists calls, newest first. */
  calls(query: ActivityQuery): Promise<ActivityPage>;
  /** The entries of the audit log about one call, and about its approval, in order. */
  entries(call: string): Promise<readonly AuditEntry[]>;
}
