// Parses the rules that an operator writes in a configuration file.
import type { CommonCode } from '../model/codes.js';
import { type RateLimit, windowMs } from '../model/guardrails.js';
import { isObject, type Json, type JsonObject, type JsonPath } from '../model/json.js';
import { personalDataCategories } from '../model/personal-data.js';
import type { Rule, SpendCap } from '../model/rule.js';
import { type Effect, effects } from '../model/tool.js';
import { findHidden } from '../model/unicode.js';
import { isLinearRegex } from './linear-regex.js';
import { suggest } from './suggest.js';

/** One error in a rule. */
export interface RuleProblem {
  readonly code: CommonCode;
  /** Path inside the rule. */
  readonly at: JsonPath;
  readonly message: string;
  readonly hint?: string;
  readonly spot?: 'key';
}

/** A rule, or everything that is wrong with it. */
export type ParsedRule =
  | { readonly ok: true; readonly rule: Omit<Rule, 'origin'> }
  | { readonly ok: false; readonly problems: readonly RuleProblem[] };

type RuleFields = { -readonly [K in keyof Omit<Rule, 'origin'>]?: Rule[K] };
/** Converts one field of the configuration to fields of the rule, or reports errors. */
type FieldParser = (value: Json) => RuleFields | FieldProblem | readonly FieldProblem[];

class FieldProblem {
  constructor(
    readonly code: CommonCode,
    readonly message: string,
    readonly hint: string,
    readonly item?: number,
  ) {}
}

const windows = Object.keys(windowMs) as RateLimit['per'][];

const fieldParsers: Readonly<Record<string, FieldParser>> = {
  tool: (it) =>
    parseValue(
      it,
      isPattern,
      (tool) => ({ tool }),
      'use "*", a package, "package/tool", "package/prompt:NAME" or "package/resource:ADDRESS"; * matches any characters',
    ),
  effect: (it) =>
    parseList(typeof it === 'string' ? [it] : it, effects, (found) => ({
      effects: found as readonly Effect[],
    })),
  approval: (it) => parseChoice(it, ['allow', 'ask', 'deny'] as const, (approval) => ({ approval })),
  override_manifest: (it) =>
    parseValue(it, isBoolean, (overManifest) => ({ overManifest }), 'use true or false'),
  ask_above: (it) => parseValue(it, isAmount, (askAbove) => ({ askAbove }), 'use a number of 0 or more'),
  max_length: (it) => parseValue(it, isCount, (maxLength) => ({ maxLength }), 'use an integer of 1 or more'),
  deny_patterns: parsePatterns,
  pii_redaction: (it) => parseList(it, personalDataCategories, (redact) => ({ redact })),
  rate_limit: (it) =>
    parsePerWindow(
      it,
      /^[1-9]\d{0,8}$/,
      'use a number of calls and a time unit, such as "10/minute"',
      (count, per) => ({
        rateLimit: { count, per },
      }),
    ),
  max_amount: (it) => parseValue(it, isAmount, (maxAmount) => ({ maxAmount }), 'use a number of 0 or more'),
  spend: (it) =>
    parsePerWindow(
      it,
      /^\d{1,15}(?:\.\d{1,6})?$/,
      'use an amount and a time unit, such as "500/day"',
      (amount, per): { spend: SpendCap } => ({ spend: { amount, per } }),
    ),
  output_schema: (it) =>
    parseValue(it, isObject, (outputSchema) => ({ outputSchema }), 'use a JSON Schema, written as a table'),
  undeclared_effect: (it) => parseChoice(it, effects, (undeclaredEffect) => ({ undeclaredEffect })),
  reason: (it) =>
    parseValue(
      it,
      isSentence,
      (reason) => ({ reason }),
      'use a sentence of at most 300 characters for the caller whose call is denied',
    ),
};

/** Parses one rule and reports all errors in it. */
export function parseRule(value: Json): ParsedRule {
  if (!isObject(value))
    return {
      ok: false,
      problems: [
        {
          code: 'schema.type',
          at: [],
          message: 'a rule must be a table',
          hint: 'start each rule with the line [[rules]]',
        },
      ],
    };
  const problems: RuleProblem[] = [];
  const rule: RuleFields & { tool: string } = { tool: '*' };
  for (const [name, written] of Object.entries(value)) {
    const parseField = Object.hasOwn(fieldParsers, name) ? fieldParsers[name] : undefined;
    if (parseField === undefined) {
      problems.push(unknownField(name));
      continue;
    }
    const parsed = parseField(written);
    const errors =
      parsed instanceof FieldProblem
        ? [parsed]
        : Array.isArray(parsed)
          ? (parsed as readonly FieldProblem[])
          : [];
    for (const { code, message, hint, item } of errors)
      problems.push({
        code,
        at: item === undefined ? [name] : [name, item],
        message: `${name} ${message}`,
        hint,
      });
    if (errors.length === 0) Object.assign(rule, parsed);
  }
  if (problems.length === 0) problems.push(...contradictions(value, rule));
  return problems.length > 0 ? { ok: false, problems } : { ok: true, rule };
}

/** Fields that are valid on their own but not together. */
function contradictions(value: JsonObject, rule: RuleFields): RuleProblem[] {
  const settings = Object.keys(value).filter((it) => !['tool', 'effect', 'reason'].includes(it));
  if (settings.length === 0)
    return [
      {
        code: 'schema.required',
        at: [],
        message: 'this rule has no effect',
        hint: 'add a decision or a limit, such as approval = "ask" or rate_limit = "10/minute"',
      },
    ];
  if (rule.overManifest === true && rule.approval !== 'allow')
    return [
      {
        code: 'schema.const',
        at: ['override_manifest'],
        message: 'override_manifest requires approval = "allow"',
        hint: 'remove it, or add approval = "allow"',
      },
    ];
  if (rule.undeclaredEffect !== undefined && rule.effects !== undefined)
    return [
      {
        code: 'schema.closed',
        at: ['effect'],
        message: 'effect and undeclared_effect cannot be used in the same rule',
        hint: 'remove effect',
      },
    ];
  return [];
}

function unknownField(name: string): RuleProblem {
  const names = Object.keys(fieldParsers);
  const meant = suggest(name, names);
  const hint = meant === undefined ? `use one of ${names.join(', ')}` : `did you mean ${meant}?`;
  return { code: 'schema.closed', at: [name], message: `unknown field ${name} in a rule`, hint, spot: 'key' };
}

function parseValue<T extends Json>(
  value: Json,
  isValid: (it: Json) => it is T,
  toFields: (it: T) => RuleFields,
  hint: string,
): RuleFields | FieldProblem {
  if (isValid(value)) return toFields(value);
  return new FieldProblem('schema.type', `has the invalid value ${JSON.stringify(value)}`, hint);
}

function parseChoice<T extends string>(
  value: Json,
  all: readonly T[],
  toFields: (it: T) => RuleFields,
): RuleFields | FieldProblem {
  const found = all.find((it) => it === value);
  if (found !== undefined) return toFields(found);
  const meant = typeof value === 'string' ? suggest(value, all) : undefined;
  const hint = meant === undefined ? `use one of ${all.join(', ')}` : `did you mean "${meant}"?`;
  return new FieldProblem('schema.enum', `has the invalid value ${JSON.stringify(value)}`, hint);
}

function parseList(
  value: Json,
  all: readonly string[],
  toFields: (it: readonly string[]) => RuleFields,
): RuleFields | readonly FieldProblem[] {
  if (!Array.isArray(value) || value.length === 0)
    return [
      new FieldProblem(
        'schema.type',
        `has the invalid value ${JSON.stringify(value)}`,
        `use a list of ${all.join(', ')}`,
      ),
    ];
  const errors = value.flatMap((it, item) => {
    const found = parseChoice(it, all, () => ({}));
    return found instanceof FieldProblem
      ? [new FieldProblem(found.code, `contains the invalid entry ${JSON.stringify(it)}`, found.hint, item)]
      : [];
  });
  return errors.length > 0 ? errors : toFields([...new Set(value as readonly string[])]);
}

function parsePatterns(value: Json): RuleFields | readonly FieldProblem[] {
  if (!Array.isArray(value))
    return [new FieldProblem('schema.type', 'is not a list', 'use a list of regular expressions in quotes')];
  const errors = value.flatMap((it, item) => {
    if (typeof it === 'string' && it !== '' && compiles(it) && isLinearRegex(it)) return [];
    return [
      new FieldProblem(
        'schema.pattern',
        `contains ${JSON.stringify(it)}, which is not a supported regular expression`,
        'use a regular expression without look-around, back-references and large repetition counts',
        item,
      ),
    ];
  });
  return errors.length > 0 ? errors : { denyPatterns: value as readonly string[] };
}

function compiles(pattern: string): boolean {
  try {
    new RegExp(pattern, 'i');
    return true;
  } catch {
    return false;
  }
}

function parsePerWindow(
  value: Json,
  number: RegExp,
  hint: string,
  toFields: (count: number, per: RateLimit['per']) => RuleFields,
): RuleFields | FieldProblem {
  const [count = '', unit, ...more] = typeof value === 'string' ? value.split('/') : [];
  const per = windows.find((it) => it === unit);
  if (per !== undefined && more.length === 0 && number.test(count)) return toFields(Number(count), per);
  return new FieldProblem(
    'schema.pattern',
    `has the invalid value ${JSON.stringify(value)}`,
    `${hint}; time units: ${windows.join(', ')}`,
  );
}

const isBoolean = (it: Json): it is boolean => typeof it === 'boolean';
const isAmount = (it: Json): it is number => typeof it === 'number' && Number.isFinite(it) && it >= 0;
const isCount = (it: Json): it is number => Number.isInteger(it) && (it as number) >= 1;
const isSentence = (it: Json): it is string =>
  typeof it === 'string' && it.trim() !== '' && it.length <= 300 && findHidden(it).length === 0;
const isPattern = (it: Json): it is string =>
  typeof it === 'string' && (isToolPattern(it) || isReadingPattern(it));

/** `package/prompt:NAME` or `package/resource:ADDRESS`; `*` matches any characters. */
function isReadingPattern(text: string): boolean {
  return /^[A-Za-z0-9_.*-]{1,200}\/(?:prompt|resource):[\x21-\x7e]{1,300}$/.test(text);
}

/** A package or `package/tool`; `*` matches any characters. Tool names of MCP servers may contain slashes. */
export function isToolPattern(text: string): boolean {
  return /^[A-Za-z0-9_.*-]{1,200}(?:\/[A-Za-z0-9_.*/-]{1,200})?$/.test(text);
}
