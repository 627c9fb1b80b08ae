import type { ContributionFinding } from '../../../model/contribution.js';
import { lookAlikeKey } from '../../../policy/review/look-alike.js';
import { contributionFinding } from '../contribution-findings.js';
import { editDistance } from './edit-distance.js';
import { knownNames } from './known-names.js';

const maxNamed = 5;

/** Names that can be taken for the name of a new package. `existing`: all names of the registry; its own may be among them. */
export function checkName(id: string, existing: Iterable<string>, manifest: string): ContributionFinding[] {
  const key = nameKey(id);
  const same: string[] = [];
  const similar: string[] = [];
  let isKnown = false;
  for (const name of existing) {
    if (name === id) isKnown = true;
    else if (nameKey(name) === key) same.push(name);
    else if (isSimilar(key, nameKey(name))) similar.push(name);
  }
  // A further version of a package has the name that it had.
  if (isKnown) return [];
  const place = { file: manifest };
  const names = (list: readonly string[]) =>
    [...list]
      .sort()
      .slice(0, maxNamed)
      .map((it) => JSON.stringify(it))
      .join(', ');
  if (same.length > 0)
    return [
      contributionFinding(
        'contribute.name-taken',
        place,
        `the name ${JSON.stringify(id)} can be mistaken for ${names(same)}`,
        'choose another name',
      ),
    ];
  const found: ContributionFinding[] = [];
  if (similar.length > 0)
    found.push(
      contributionFinding(
        'contribute.name-similar',
        place,
        `the name ${JSON.stringify(id)} differs little from ${names(similar)}`,
        'choose a name that nobody mistypes',
      ),
    );
  const known = knownNames.filter((it) => it !== id && (nameKey(it) === key || isSimilar(key, nameKey(it))));
  if (known.length > 0)
    found.push(
      contributionFinding(
        'contribute.name-known',
        place,
        `the name ${JSON.stringify(id)} looks like the well-known ${names(known)}`,
        'choose another name',
      ),
    );
  return found;
}

function nameKey(name: string): string {
  return lookAlikeKey(name).replace(/[^\p{L}\p{N}]/gu, '');
}

/** Short names differ by one letter without being a twin. */
function isSimilar(a: string, b: string): boolean {
  const length = Math.min(a.length, b.length);
  if (length < 5) return false;
  const limit = length < 9 ? 1 : 2;
  return editDistance(a, b, limit) <= limit;
}
