import satisfies from 'semver/functions/satisfies.js';
import maxSatisfying from 'semver/ranges/max-satisfying.js';
import validRange from 'semver/ranges/valid.js';

/**
 * The version that npm would install: the one with this tag, or the newest in the range. The version tagged `latest` is
 * preferred if it is in the range, because authors also publish versions that are not for everyone. Undefined: none.
 */
export function resolveNpmRange(
  versions: readonly string[],
  range: string,
  tags: Readonly<Record<string, string>> = {},
): string | undefined {
  const tagged = Object.hasOwn(tags, range) ? tags[range] : undefined;
  if (tagged !== undefined) return versions.includes(tagged) ? tagged : undefined;
  if (validRange(range) === null) return undefined;
  const latest = Object.hasOwn(tags, 'latest') ? tags.latest : undefined;
  if (latest !== undefined && versions.includes(latest) && satisfies(latest, range)) return latest;
  return maxSatisfying([...versions], range) ?? undefined;
}

/** Whether the text is a range of versions, and not the name of a tag. */
export function isNpmRange(range: string): boolean {
  return validRange(range) !== null;
}

/** Whether the text is a tag of its authors. `latest` is meant to move with every version, like a branch. */
export function isNamedTag(range: string): boolean {
  return !isNpmRange(range) && range !== 'latest';
}
