// Compares the answer of a tool with a saved one. Pure.
import { isObject, type Json, toPointer } from '../../../model/json.js';

/** What stands in a saved answer for a part that is not compared. */
const ignoredMark = '(ignored)';

/** Further differences are not shown. */
const maxShown = 5;
const maxText = 200;

/** A JSON pointer whose parts may be `*`, for every member or element. Empty: the whole answer. */
export function isIgnorePattern(text: string): boolean {
  return text === '' || /^(?:\/(?:[^~/]|~[01])*)+$/.test(text);
}

/** The differences, one sentence each; empty if the answer is as expected. */
export function answerDifferences(
  expected: Json,
  actual: Json,
  ignore: readonly string[],
): readonly string[] {
  const patterns = ignore.map(partsOf);
  const found: string[] = [];
  compare(expected, actual, [], patterns, found);
  return found.length > maxShown
    ? [...found.slice(0, maxShown), `and ${found.length - maxShown} more differences`]
    : found;
}

/** The answer to save: parts that are not compared would change the file with every update. */
export function savedAnswer(actual: Json, ignore: readonly string[]): Json {
  return withoutIgnored(actual, [], ignore.map(partsOf));
}

type Path = readonly string[];

function partsOf(pattern: string): Path {
  return pattern
    .split('/')
    .slice(1)
    .map((it) => it.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function isIgnored(path: Path, patterns: readonly Path[]): boolean {
  return patterns.some(
    (it) => it.length === path.length && it.every((part, at) => part === '*' || part === path[at]),
  );
}

function compare(expected: Json, actual: Json, path: Path, patterns: readonly Path[], found: string[]): void {
  if (isIgnored(path, patterns)) return;
  if (Array.isArray(expected) && Array.isArray(actual)) {
    if (expected.length !== actual.length)
      found.push(`${placeOf(path)}: expected ${expected.length} elements, got ${actual.length}`);
    for (const [at, value] of expected.slice(0, actual.length).entries())
      compare(value, actual[at] as Json, [...path, String(at)], patterns, found);
    return;
  }
  if (isObject(expected) && isObject(actual)) {
    for (const key of new Set([...Object.keys(expected), ...Object.keys(actual)])) {
      const at = [...path, key];
      const one = Object.hasOwn(expected, key) ? expected[key] : undefined;
      const other = Object.hasOwn(actual, key) ? actual[key] : undefined;
      if (one !== undefined && other !== undefined) compare(one, other, at, patterns, found);
      else if (isIgnored(at, patterns)) continue;
      else if (other === undefined) found.push(`${placeOf(at)}: missing; expected ${shown(one as Json)}`);
      else found.push(`${placeOf(at)}: not expected; got ${shown(other)}`);
    }
    return;
  }
  // Numbers, texts, true, false, null, and values of different types.
  if (expected !== actual) found.push(`${placeOf(path)}: expected ${shown(expected)}, got ${shown(actual)}`);
}

function withoutIgnored(value: Json, path: Path, patterns: readonly Path[]): Json {
  if (isIgnored(path, patterns)) return ignoredMark;
  if (Array.isArray(value)) return value.map((it, at) => withoutIgnored(it, [...path, String(at)], patterns));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, it]) => [key, withoutIgnored(it, [...path, key], patterns)]),
  );
}

function placeOf(path: Path): string {
  return path.length === 0 ? 'the answer' : toPointer(path);
}

function shown(value: Json): string {
  const text = JSON.stringify(value);
  return text.length <= maxText ? text : `${text.slice(0, maxText - 1)}…`;
}
