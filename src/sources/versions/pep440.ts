import {
  comparePep440,
  compareRelease,
  isPrerelease,
  type Pep440Version,
  parsePep440,
} from './pep440-version.js';

interface Clause {
  readonly matches: (version: Pep440Version) => boolean;
  /** Whether it names a prerelease. Then prereleases are acceptable. */
  readonly prerelease: boolean;
}

/**
 * The newest version that a specifier such as `>=1.4,<2` allows. A prerelease is taken only if the specifier names one or
 * nothing else matches. Versions that are not valid are never taken. Undefined: none.
 */
export function resolvePep440(versions: readonly string[], specifier: string): string | undefined {
  const clauses = parseSpecifier(specifier);
  if (clauses === undefined) return undefined;
  const matching = versions
    .flatMap((it) => parsePep440(it) ?? [])
    .filter((it) => clauses.every(({ matches }) => matches(it)))
    .sort((a, b) => comparePep440(b, a));
  const released = clauses.some((it) => it.prerelease)
    ? matching
    : matching.filter((it) => !isPrerelease(it));
  return (released[0] ?? matching[0])?.text;
}

/** Whether the text is a valid list of clauses. Empty: every version. */
export function isPep440Specifier(specifier: string): boolean {
  return parseSpecifier(specifier) !== undefined;
}

function parseSpecifier(specifier: string): readonly Clause[] | undefined {
  if (specifier.trim() === '') return [];
  const clauses = specifier.split(',').map((it) => parseClause(it.trim()));
  return clauses.every((it) => it !== undefined) ? clauses : undefined;
}

/** A bound that is not itself allowed does not ask for prereleases. */
const exclusive: ReadonlySet<string> = new Set(['!=', '<', '>']);

function parseClause(text: string): Clause | undefined {
  const [, operator, operand = ''] = /^(===|==|~=|!=|<=|>=|<|>)\s*(.+)$/.exec(text) ?? [];
  if (operator === '===') {
    const wanted = operand.toLowerCase();
    return { matches: (it) => it.text.toLowerCase() === wanted, prerelease: true };
  }
  if (operand.endsWith('.*')) {
    const prefix = parsePep440(operand.slice(0, -2));
    if (prefix === undefined || !isPlainRelease(prefix)) return undefined;
    if (operator === '==') return { matches: (it) => hasPrefix(it, prefix), prerelease: false };
    return operator === '!=' ? { matches: (it) => !hasPrefix(it, prefix), prerelease: false } : undefined;
  }
  const version = parsePep440(operand);
  if (version === undefined) return undefined;
  if (version.local.length > 0 && operator !== '==' && operator !== '!=') return undefined;
  const matches = matcherOf(operator as string, version);
  return matches === undefined
    ? undefined
    : { matches, prerelease: isPrerelease(version) && !exclusive.has(operator as string) };
}

function matcherOf(operator: string, version: Pep440Version): Clause['matches'] | undefined {
  const compare = (it: Pep440Version) => comparePep440(it, version, true);
  const equals = (it: Pep440Version) => comparePep440(it, version, version.local.length === 0) === 0;
  switch (operator) {
    case '==':
      return equals;
    case '!=':
      return (it) => !equals(it);
    case '>=':
      return (it) => compare(it) >= 0;
    case '<=':
      return (it) => compare(it) <= 0;
    // "<2" does not mean the prereleases of 2, and ">1" does not mean the later fixes of 1.
    case '<':
      return (it) =>
        compare(it) < 0 && (isPrerelease(version) || !(isPrerelease(it) && sameRelease(it, version)));
    case '>':
      return (it) =>
        compare(it) > 0 &&
        (version.post !== undefined || !(it.post !== undefined && sameRelease(it, version)));
    case '~=': {
      if (version.release.length < 2) return undefined;
      const prefix = { ...version, release: version.release.slice(0, -1) };
      return (it) => compare(it) >= 0 && hasPrefix(it, prefix);
    }
    default:
      return undefined;
  }
}

function hasPrefix(version: Pep440Version, prefix: Pep440Version): boolean {
  const release = prefix.release.map((_, at) => version.release[at] ?? 0);
  return version.epoch === prefix.epoch && compareRelease(release, prefix.release) === 0;
}

function sameRelease(a: Pep440Version, b: Pep440Version): boolean {
  return a.epoch === b.epoch && compareRelease(a.release, b.release) === 0;
}

function isPlainRelease(version: Pep440Version): boolean {
  return !isPrerelease(version) && version.post === undefined && version.local.length === 0;
}
