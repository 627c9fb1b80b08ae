import type {
  ActivityCall,
  ActivityGroup,
  ActivitySummary,
  LatencyPercentiles,
} from '../../model/activity.js';

/** Tools and principals in a summary. */
const maxGroups = 20;

export interface SummarySpan {
  /** Milliseconds since 1970. */
  readonly from: number;
  readonly to: number;
  /** How many parts to divide the span into. */
  readonly buckets: number;
}

/** Counts calls by time, status, tool and principal. All calls are inside the span. */
export function summarize(
  calls: readonly ActivityCall[],
  { from, to, buckets: count }: SummarySpan,
): Omit<ActivitySummary, 'complete'> {
  const bucketMs = Math.max(1, Math.ceil((to - from) / count));
  const byBucket = Array.from({ length: count }, (): ActivityCall[] => []);
  for (const it of calls)
    byBucket[Math.min(count - 1, Math.max(0, Math.floor((it.at - from) / bucketMs)))]?.push(it);
  return {
    ...{ from, to, bucketMs, total: calls.length },
    statuses: counts(calls, (it) => it.status),
    buckets: byBucket.map((own, index) => ({
      at: from + index * bucketMs,
      counts: counts(own, (it) => it.status),
      latency: percentiles(own),
    })),
    latency: percentiles(calls),
    tools: groups(calls, (it) => it.tool),
    principals: groups(calls, (it) => it.principal),
    holds: counts(
      calls.filter((it) => it.status === 'held' && it.reason !== ''),
      (it) => it.reason,
    ),
  };
}

/** The value below which a share of the durations lies; by rank, so it is one of them. */
export function percentiles(calls: readonly ActivityCall[]): LatencyPercentiles {
  const sorted = new Float64Array(calls.length);
  let count = 0;
  for (const { durationMs } of calls) if (durationMs !== null) sorted[count++] = durationMs;
  const durations = sorted.subarray(0, count).sort();
  const at = (share: number) => durations[Math.max(0, Math.ceil(count * share) - 1)] ?? null;
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99) };
}

const unfinished = new Set(['ok', 'held', 'running']);

function groups(calls: readonly ActivityCall[], nameOf: (call: ActivityCall) => string): ActivityGroup[] {
  const byName = new Map<string, ActivityCall[]>();
  for (const it of calls) {
    const own = byName.get(nameOf(it));
    if (own === undefined) byName.set(nameOf(it), [it]);
    else own.push(it);
  }
  return [...byName]
    .sort(([a, ofA], [b, ofB]) => ofB.length - ofA.length || (a < b ? -1 : 1))
    .slice(0, maxGroups)
    .map(([name, own]) => ({
      name,
      calls: own.length,
      failed: own.filter((it) => !unfinished.has(it.status)).length,
      held: own.filter((it) => it.status === 'held').length,
      latency: percentiles(own),
    }));
}

/** A map first: a caller chooses the names of tools that do not exist. */
function counts(
  calls: readonly ActivityCall[],
  nameOf: (call: ActivityCall) => string,
): Record<string, number> {
  const found = new Map<string, number>();
  for (const it of calls) found.set(nameOf(it), (found.get(nameOf(it)) ?? 0) + 1);
  return Object.fromEntries(found);
}
