// Which release a version or range means.
import compare from 'semver/functions/compare.js';
import prerelease from 'semver/functions/prerelease.js';
import valid from 'semver/functions/valid.js';
import { isNpmRange, resolveNpmRange } from '../../sources/versions/npm-range.js';
import type { FoundRelease } from './registry-client.js';

export type ReleaseChoice =
  | { readonly kind: 'found'; readonly found: FoundRelease }
  /** No release fits; those that exist, newest first. */
  | { readonly kind: 'none'; readonly versions: readonly string[] }
  /** Only withdrawn releases or those under quarantine fit. */
  | { readonly kind: 'withdrawn'; readonly found: FoundRelease };

/**
 * `latest` and ranges choose among releases that are neither withdrawn nor under quarantine, as npm does. An exact version
 * means that release, and says if it was withdrawn.
 */
export function chooseRelease(releases: readonly FoundRelease[], range: string): ReleaseChoice {
  const exact = releases.find((it) => it.release.version === range);
  if (exact !== undefined)
    return isOffered(exact) ? { kind: 'found', found: exact } : { kind: 'withdrawn', found: exact };
  const offered = releases.filter(isOffered);
  const version = range === 'latest' ? newestOf(offered) : fitting(offered, range);
  const found = offered.find((it) => it.release.version === version);
  if (found !== undefined) return { kind: 'found', found };
  const other = range === 'latest' ? newestOf(releases) : fitting(releases, range);
  const withdrawn = releases.find((it) => it.release.version === other);
  if (withdrawn !== undefined) return { kind: 'withdrawn', found: withdrawn };
  return { kind: 'none', versions: releases.map((it) => it.release.version).sort(newestFirst) };
}

export function isOffered({ release, quarantined }: FoundRelease): boolean {
  return release.yanked === undefined && quarantined === undefined;
}

/** Versions of semver before others, and the higher one first. */
export function newestFirst(a: string, b: string): number {
  const [left, right] = [valid(a), valid(b)];
  if (left !== null && right !== null) return compare(right, left) || (a < b ? 1 : -1);
  if (left !== null || right !== null) return left === null ? 1 : -1;
  return b.localeCompare(a, 'en', { numeric: true });
}

function fitting(releases: readonly FoundRelease[], range: string): string | undefined {
  return isNpmRange(range) ? resolveNpmRange(versionsOf(releases), range) : undefined;
}

/** Previews are the newest only if there is nothing else. */
function newestOf(releases: readonly FoundRelease[]): string | undefined {
  const versions = versionsOf(releases).sort(newestFirst);
  return versions.find((it) => valid(it) !== null && prerelease(it) === null) ?? versions[0];
}

function versionsOf(releases: readonly FoundRelease[]): string[] {
  return releases.map((it) => it.release.version);
}
