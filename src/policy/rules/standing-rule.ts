import { HostError } from '../../model/host-error.js';
import { canonicalJson, type Json, type JsonObject } from '../../model/json.js';
import type { ArgumentCondition, Condition, StandingRuleInput } from '../../model/standing-rule.js';
import { findHidden } from '../../model/unicode.js';
import { linearPattern } from '../linear-pattern.js';

const maxConditions = 64;
const maxPattern = 1000;

/** The name of all tools of a package in a standing rule. */
export function wholePackage(packageId: string): string {
  return `${packageId}/*`;
}

/**
 * Whether a standing rule covers exactly this call. The rule must name every argument: nobody has agreed to an argument
 * that it does not mention.
 */
export function ruleCovers(conditions: readonly ArgumentCondition[], input: JsonObject): boolean {
  const named = new Set(conditions.map((it) => it.argument));
  if (Object.keys(input).some((it) => !named.has(it))) return false;
  return conditions.every(({ argument, condition }) => {
    if (condition.test === 'any') return true;
    if (!Object.hasOwn(input, argument)) return false;
    const hasMinimum = conditions.some((it) => it.argument === argument && it.condition.test === 'at-least');
    return holds(condition, input[argument] as Json, hasMinimum);
  });
}

function holds(condition: Exclude<Condition, { test: 'any' }>, value: Json, hasMinimum: boolean): boolean {
  switch (condition.test) {
    case 'equals':
      return same(condition.value, value);
    case 'one-of':
      return condition.values.some((it) => same(it, value));
    case 'under':
      return typeof value === 'string' && isBelow(value, condition.path);
    case 'at-most':
      // A cap on an amount must not allow negative amounts, unless the rule has a minimum.
      return typeof value === 'number' && value <= condition.number && (hasMinimum || value >= 0);
    case 'at-least':
      return typeof value === 'number' && value >= condition.number;
    case 'matches':
      return typeof value === 'string' && linearPattern(condition.pattern).matcher(value).matches();
  }
}

function same(a: Json, b: Json): boolean {
  return canonicalJson(a) === canonicalJson(b);
}

/**
 * Compares paths as text. Rejects every form that a tool might read differently: parent steps, escapes, backslashes,
 * hidden characters, and characters that become one of these by normalization.
 */
function isBelow(value: string, base: string): boolean {
  const path = stepsOf(value);
  const parent = stepsOf(base);
  if (path === undefined || parent === undefined || path.absolute !== parent.absolute) return false;
  return (
    path.steps.length > parent.steps.length && parent.steps.every((it, index) => it === path.steps[index])
  );
}

interface Steps {
  readonly absolute: boolean;
  readonly steps: readonly string[];
}

function stepsOf(text: string): Steps | undefined {
  const plain = text.normalize('NFKC');
  for (const it of [text, plain]) {
    if (it === '' || /[\\\0\r\n\t]|%(?:2e|2f|5c|00)/i.test(it)) return undefined;
    if (/^~|^[a-z][a-z0-9+.-]*:/i.test(it) || it.split('/').includes('..')) return undefined;
  }
  if (findHidden(text).length > 0) return undefined;
  // Normalization must not change the path.
  if (plain.split('/').length !== text.split('/').length) return undefined;
  const steps = text.split('/').filter((it) => it !== '' && it !== '.');
  return { absolute: text.startsWith('/'), steps };
}

/** Throws if a new rule is invalid. */
export function checkRule(
  { tool, definition, conditions, destructive, expiresAt }: StandingRuleInput,
  now: number,
): void {
  const invalid = (message: string, hint: string) => new HostError('usage', message, { hint });
  if (!/^[^\s/]+\/\S+$/.test(tool))
    throw invalid(`${JSON.stringify(tool)} does not name a tool`, 'write PACKAGE/TOOL');
  if ((definition === null) !== /^[^/]+\/\*$/.test(tool))
    throw invalid('a rule without a definition is for a whole package', 'write PACKAGE/* as its tool');
  if (definition === null && (conditions.length > 0 || destructive))
    throw invalid(
      'a rule for a whole package has no conditions and covers no destructive tools',
      'add a rule for one tool: PACKAGE/TOOL',
    );
  if (conditions.length > maxConditions)
    throw invalid('the rule has more than 64 conditions', 'use two rules');
  if (expiresAt !== null && !(expiresAt > now))
    throw invalid('the rule would be expired already', 'choose a later end');
  for (const { argument, condition } of conditions) {
    const problem = problemOf(condition);
    if (argument === '') throw invalid('a condition names no argument', 'write ARGUMENT TEST VALUE');
    if (problem !== undefined)
      throw invalid(
        `the condition on ${JSON.stringify(argument)} is not valid: ${problem}`,
        'correct the condition',
      );
    const others = conditions.filter((it) => it.argument === argument);
    if (others.length > 1 && others.some((it) => it.condition.test === 'any'))
      throw invalid(
        `${JSON.stringify(argument)} has the test "any" and another one`,
        'use "any" alone, or only the other tests',
      );
  }
}

function problemOf(condition: Condition): string | undefined {
  switch (condition.test) {
    case 'under':
      return stepsOf(condition.path) === undefined
        ? 'the path must not contain "..", escapes or backslashes'
        : undefined;
    case 'at-most':
    case 'at-least':
      return Number.isFinite(condition.number) ? undefined : 'it needs a number';
    case 'one-of':
      return condition.values.length === 0 ? 'it needs at least one value' : undefined;
    case 'matches':
      return patternProblem(condition.pattern);
    default:
      return undefined;
  }
}

function patternProblem(pattern: string): string | undefined {
  if (pattern === '' || pattern.length > maxPattern)
    return `the pattern must have 1 to ${maxPattern} characters`;
  try {
    linearPattern(pattern);
    return undefined;
  } catch {
    return 'the pattern is not valid; look-around and back-references are not supported';
  }
}
