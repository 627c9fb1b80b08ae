// What the listing of a registry says about its releases. It is made from the log and the index of the registry, so it
// can be thrown away and made again. Clients never trust it: they verify what they install.

import prerelease from 'semver/functions/prerelease.js';
import { newestFirst } from '../client/release-choice.js';
import type { LogEntry } from '../log/log-entry.js';

export const releaseStatuses = ['active', 'withdrawn', 'quarantined'] as const;
export type ReleaseStatus = (typeof releaseStatuses)[number];

export interface ListedRelease {
  readonly name: string;
  readonly version: string;
  /** ISO 8601, UTC. */
  readonly publishedAt: string;
  /** When anything about it changed last. ISO 8601, UTC. */
  readonly changedAt: string;
  readonly status: ReleaseStatus;
  /** Why it was withdrawn or is under quarantine. */
  readonly reason: string | undefined;
  /** Why its publisher withdrew it, also while it is under quarantine. Undefined: not withdrawn. */
  readonly withdrawal: string | undefined;
  /** Of the archive, in hex. */
  readonly sha256: string;
}

/** A release after one entry of the log. Undefined if the entry is not about a release that was published before. */
export function releaseAfter(old: ListedRelease | undefined, entry: LogEntry): ListedRelease | undefined {
  if (entry.kind === 'keys') return undefined;
  if (entry.kind === 'publish') {
    const { name, version, sha256, time } = entry;
    return (
      old ?? {
        name,
        version,
        sha256,
        publishedAt: time,
        changedAt: time,
        status: 'active',
        reason: undefined,
        withdrawal: undefined,
      }
    );
  }
  if (old === undefined) return undefined;
  const changed = { ...old, changedAt: entry.time };
  switch (entry.kind) {
    case 'yank':
      // A quarantine says more, and stays until its registry ends it.
      return old.status === 'quarantined'
        ? { ...changed, withdrawal: entry.reason }
        : { ...changed, status: 'withdrawn', reason: entry.reason, withdrawal: entry.reason };
    case 'quarantine':
      return { ...changed, status: 'quarantined', reason: entry.reason };
    case 'release':
      return {
        ...changed,
        status: old.withdrawal === undefined ? 'active' : 'withdrawn',
        reason: old.withdrawal,
      };
  }
}

/** Which release people get who do not name a version: the highest active one that is finished, else the highest. */
export function latestOf(releases: readonly ListedRelease[]): ListedRelease | undefined {
  const [first] = [...releases].sort(
    (a, b) =>
      Number(b.status === 'active') - Number(a.status === 'active') ||
      Number(prerelease(a.version) !== null) - Number(prerelease(b.version) !== null) ||
      newestFirst(a.version, b.version),
  );
  return first;
}
