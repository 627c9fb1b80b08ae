import { RE2JS } from 're2js';
import { HostError } from '../model/host-error.js';
import { canonicalJson, type Json, type JsonObject } from '../model/json.js';
import type { ArgumentCondition, Condition, StandingRuleInput } from '../model/standing-rule.js';
import { findHidden } from '../model/unicode.js';

const maxConditions = 64;
const maxPattern = 1000;

/**
 * Whether a rule speaks of exactly this call. Every argument must be named by the rule: one that it does not mention is
 * one that nobody thought of.
 */
export function ruleCovers(conditions: readonly ArgumentCondition[], input: JsonObject): boolean {
  const named = new Set(conditions.map((it) => it.argument));
  if (Object.keys(input).some((it) => !named.has(it))) return false;
  return conditions.every(({ argument, condition }) => {
    if (condition.test === 'any') return true;
    if (!Object.hasOwn(input, argument)) return false;
    const low = conditions.some((it) => it.argument === argument && it.condition.test === 'at-least');
    return holds(condition, input[argument] as Json, low);
  });
}

function holds(condition: Exclude<Condition, { test: 'any' }>, value: Json, low: boolean): boolean {
  switch (condition.test) {
    case 'equals':
      return same(condition.value, value);
    case 'one-of':
      return condition.values.some((it) => same(it, value));
    case 'under':
      return typeof value === 'string' && isBelow(value, condition.path);
    case 'at-most':
      // A cap on what is paid is not meant to let a negative amount through.
      return typeof value === 'number' && value <= condition.number && (low || value >= 0);
    case 'at-least':
      return typeof value === 'number' && value >= condition.number;
    case 'matches':
      return typeof value === 'string' && compile(condition.pattern).matcher(value).matches();
  }
}

function same(a: Json, b: Json): boolean {
  return canonicalJson(a) === canonicalJson(b);
}

/**
 * By spelling alone, and refusing every spelling that a tool might read in another way: steps upwards, escapes, back
 * slashes, hidden characters, and letters that become such when they are normalized.
 */
function isBelow(value: string, base: string): boolean {
  const path = stepsOf(value);
  const above = stepsOf(base);
  if (path === undefined || above === undefined || path.absolute !== above.absolute) return false;
  return path.steps.length > above.steps.length && above.steps.every((it, index) => it === path.steps[index]);
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
  // Normalizing must not make another path of it.
  if (plain.split('/').length !== text.split('/').length) return undefined;
  const steps = text.split('/').filter((it) => it !== '' && it !== '.');
  return { absolute: text.startsWith('/'), steps };
}

const compiled = new Map<string, RE2JS>();

/** The engine takes time in proportion to the text, whatever the pattern. */
function compile(pattern: string): RE2JS {
  let found = compiled.get(pattern);
  if (found === undefined) {
    found = RE2JS.compile(RE2JS.translateRegExp(pattern));
    if (compiled.size < 256) compiled.set(pattern, found);
  }
  return found;
}

/** What is wrong with a rule before it is kept; throws it. */
export function checkRule({ tool, conditions, expiresAt }: StandingRuleInput, now: number): void {
  const wrong = (message: string, hint: string) => new HostError('usage', message, { hint });
  if (!/^[^\s/]+\/\S+$/.test(tool))
    throw wrong(`${JSON.stringify(tool)} does not name a tool`, 'write PACKAGE/TOOL');
  if (conditions.length > maxConditions) throw wrong('a rule has at most 64 conditions', 'make two rules');
  if (expiresAt !== null && !(expiresAt > now))
    throw wrong('the rule would have ended already', 'choose a later end');
  for (const { argument, condition } of conditions) {
    const problem = problemOf(condition);
    if (argument === '') throw wrong('a condition names no argument', 'write ARGUMENT TEST VALUE');
    if (problem !== undefined)
      throw wrong(`the condition on ${JSON.stringify(argument)} cannot hold: ${problem}`, 'write it anew');
    const others = conditions.filter((it) => it.argument === argument);
    if (others.length > 1 && others.some((it) => it.condition.test === 'any'))
      throw wrong(
        `${JSON.stringify(argument)} is both free and bound`,
        'free it, or say what it must be, not both',
      );
  }
}

function problemOf(condition: Condition): string | undefined {
  switch (condition.test) {
    case 'under':
      return stepsOf(condition.path) === undefined
        ? 'the path must be plain, without steps upwards or escapes'
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
  if (pattern === '' || pattern.length > maxPattern) return `a pattern has 1 to ${maxPattern} characters`;
  try {
    compile(pattern);
    return undefined;
  } catch {
    return 'the pattern cannot be read; look-around and back-references are not supported';
  }
}
