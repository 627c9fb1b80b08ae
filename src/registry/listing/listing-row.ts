import { type ReleaseSummary, readSummaries } from '../names/release-summary.js';
import type { ListedRelease, ReleaseStatus } from './listed-release.js';

/** A release as both databases store it. */
export function releaseOfRow(row: Record<string, unknown>): ListedRelease {
  return {
    name: String(row.name),
    version: String(row.version),
    publishedAt: String(row.published_at),
    changedAt: String(row.changed_at),
    status: row.status as ReleaseStatus,
    reason: typeof row.reason === 'string' ? row.reason : undefined,
    withdrawal: typeof row.withdrawal === 'string' ? row.withdrawal : undefined,
    sha256: String(row.sha256),
  };
}

/** Undefined: the index does not have the package. */
export function summaryOfText(text: unknown): ReleaseSummary | undefined {
  if (typeof text !== 'string') return undefined;
  const [summary] = readSummaries(text).values();
  return summary;
}
