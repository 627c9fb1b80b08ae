import { canonicalJson, isObject, type Json, valueAt } from '../model/json.js';
import type { SmokeSuccess } from '../model/lifecycle.js';
import { linearPattern } from './linear-pattern.js';

/** What a smoke test saw. */
export interface SmokeObservation {
  /** Of a program; null if it was ended by a signal. */
  readonly exitCode?: number | null;
  readonly httpStatus?: number;
  /** Standard output, or the body of the response. */
  readonly text: string;
  /** The same as JSON; undefined if it is not JSON. */
  readonly value: Json | undefined;
}

/**
 * The first condition that is not met, as a sentence; undefined if all are. `variables`: values for `${NAME}` in
 * conditions. Their values never appear in the sentence.
 */
export function smokeFailure(
  success: SmokeSuccess,
  seen: SmokeObservation,
  variables: ReadonlyMap<string, string>,
): string | undefined {
  const { exitCode, httpStatus, stdoutPattern, bodyPattern, pointers, noErrorField } = success;
  if (exitCode !== undefined && seen.exitCode !== exitCode)
    return seen.exitCode === null || seen.exitCode === undefined
      ? `it was ended by a signal; exit code ${exitCode} was expected`
      : `it ended with exit code ${seen.exitCode}; ${exitCode} was expected`;
  if (seen.httpStatus !== undefined) {
    const { httpStatus: status } = seen;
    if (httpStatus !== undefined && status !== httpStatus)
      return `the HTTP status is ${status}; ${httpStatus} was expected`;
    if (httpStatus === undefined && (status < 200 || status > 299))
      return `the HTTP status is ${status}; a status from 200 to 299 was expected`;
  }
  const patterns = [
    ['stdout_regex', 'the output', stdoutPattern],
    ['body_regex', 'the response', bodyPattern],
  ] as const;
  for (const [name, what, pattern] of patterns) {
    const failure =
      pattern === undefined ? undefined : patternFailure(name, what, pattern, seen.text, variables);
    if (failure !== undefined) return failure;
  }
  if (noErrorField || pointers.length > 0) {
    if (seen.value === undefined) return 'the answer is not JSON, and the conditions need JSON';
    if (noErrorField && isObject(seen.value) && Object.hasOwn(seen.value, 'error'))
      return 'the answer has a member "error"';
  }
  for (const { pointer, equals } of pointers) {
    const failure = pointerFailure(pointer, equals, seen.value as Json, variables);
    if (failure !== undefined) return failure;
  }
  return undefined;
}

function patternFailure(
  name: string,
  what: string,
  pattern: string,
  text: string,
  variables: ReadonlyMap<string, string>,
): string | undefined {
  const filled = fill(pattern, variables, quotePattern);
  if (filled.missing !== undefined) return `${name} uses ${filled.missing}, which has no value`;
  try {
    const compiled = linearPattern(filled.text);
    // Authors try "^ok$" with tools that read lines.
    const isMet = [text, text.replace(/\r?\n$/, '')].some((it) => compiled.matcher(it).find());
    return isMet ? undefined : `${what} does not match ${pattern}`;
  } catch {
    return `${name} cannot be checked: ${pattern} is not a pattern that this host supports`;
  }
}

function pointerFailure(
  pointer: string,
  equals: Json,
  value: Json,
  variables: ReadonlyMap<string, string>,
): string | undefined {
  const place = pointer === '' ? 'the whole answer' : pointer;
  const expected = typeof equals === 'string' ? fill(equals, variables, (it) => it) : undefined;
  if (expected?.missing !== undefined)
    return `the condition for ${place} uses ${expected.missing}, which has no value`;
  const found = valueAtPointer(value, pointer);
  if (found === undefined) return `the answer has nothing at ${place}`;
  const wanted: Json = expected === undefined ? equals : expected.text;
  if (canonicalJson(found) === canonicalJson(wanted)) return undefined;
  return `${place} is ${excerpt(found)}; ${excerpt(equals)} was expected`;
}

/** The value at a JSON pointer; undefined if there is none. */
function valueAtPointer(value: Json, pointer: string): Json | undefined {
  if (pointer === '') return value;
  if (!pointer.startsWith('/')) return undefined;
  let at: Json | undefined = value;
  for (const part of pointer.slice(1).split('/')) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
    const isIndex = Array.isArray(at) && /^(?:0|[1-9]\d*)$/.test(key);
    at = valueAt(at, [isIndex ? Number(key) : key]);
  }
  return at;
}

const variablePattern = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

function fill(
  text: string,
  variables: ReadonlyMap<string, string>,
  quote: (value: string) => string,
): { readonly text: string; readonly missing?: string } {
  let missing: string | undefined;
  const filled = text.replace(variablePattern, (_all, name: string) => {
    const value = variables.get(name);
    if (value === undefined) missing ??= name;
    return quote(value ?? '');
  });
  return missing === undefined ? { text: filled } : { text: filled, missing };
}

function quotePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}

function excerpt(value: Json): string {
  const text = canonicalJson(value);
  return text.length > 80 ? `${text.slice(0, 77)}…` : text;
}
