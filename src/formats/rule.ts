// Rules as an operator writes them in a configuration.
import type { DiagnosticCode } from '../model/codes.js';
import { type RateLimit, windowMs } from '../model/guardrails.js';
import { isObject, type Json, type JsonObject, type JsonPath } from '../model/json.js';
import { personalCategories } from '../model/personal.js';
import type { Rule, SpendCap } from '../model/rule.js';
import { type Effect, effects } from '../model/tool.js';
import { findHidden } from '../model/unicode.js';
import { isLinear } from './regex.js';
import { suggest } from './suggest.js';

export interface RuleComplaint {
  readonly code: DiagnosticCode;
  /** From the rule on. */
  readonly at: JsonPath;
  readonly message: string;
  readonly hint?: string;
  readonly spot?: 'key';
}

export type ReadRule =
  | { readonly ok: true; readonly rule: Omit<Rule, 'origin'> }
  | { readonly ok: false; readonly complaints: readonly RuleComplaint[] };

type Written = { -readonly [K in keyof Omit<Rule, 'origin'>]?: Rule[K] };
/** What a member means for the rule, or what is wrong with it. */
type Member = (value: Json) => Written | Wrong | readonly Wrong[];

class Wrong {
  constructor(
    readonly code: DiagnosticCode,
    readonly message: string,
    readonly hint: string,
    readonly item?: number,
  ) {}
}

const windows = Object.keys(windowMs) as RateLimit['per'][];

const members: Readonly<Record<string, Member>> = {
  tool: (it) =>
    checked(
      it,
      isPattern,
      (tool) => ({ tool }),
      'write "*", a package, "package/tool", "package/prompt:NAME" or "package/resource:ADDRESS"; * stands for any characters',
    ),
  effect: (it) =>
    list(typeof it === 'string' ? [it] : it, effects, (found) => ({ effects: found as readonly Effect[] })),
  approval: (it) => choice(it, ['allow', 'ask', 'deny'] as const, (approval) => ({ approval })),
  override_manifest: (it) =>
    checked(it, isSwitch, (overManifest) => ({ overManifest }), 'write true or false'),
  ask_above: (it) =>
    checked(it, isAmount, (askAbove) => ({ askAbove }), 'write a number that is not negative'),
  max_length: (it) => checked(it, isCount, (maxLength) => ({ maxLength }), 'write a whole number from 1'),
  deny_patterns: patterns,
  pii_redaction: (it) => list(it, personalCategories, (redact) => ({ redact })),
  rate_limit: (it) =>
    perWindow(it, /^[1-9]\d{0,8}$/, 'write calls and a time, such as "10/minute"', (count, per) => ({
      rateLimit: { count, per },
    })),
  max_amount: (it) =>
    checked(it, isAmount, (maxAmount) => ({ maxAmount }), 'write a number that is not negative'),
  spend: (it) =>
    perWindow(
      it,
      /^\d{1,15}(?:\.\d{1,6})?$/,
      'write an amount and a time, such as "500/day"',
      (amount, per): { spend: SpendCap } => ({ spend: { amount, per } }),
    ),
  output_schema: (it) =>
    checked(it, isObject, (outputSchema) => ({ outputSchema }), 'write a JSON Schema as a table'),
  undeclared_effect: (it) => choice(it, effects, (undeclaredEffect) => ({ undeclaredEffect })),
  reason: (it) => checked(it, isWords, (reason) => ({ reason }), 'write a sentence for whoever is refused'),
};

/** Reads one rule and says everything that is wrong with it. */
export function readRule(value: Json): ReadRule {
  if (!isObject(value))
    return {
      ok: false,
      complaints: [
        {
          code: 'schema.type',
          at: [],
          message: 'a rule is not a table',
          hint: 'write [[rules]] on a line of its own',
        },
      ],
    };
  const complaints: RuleComplaint[] = [];
  const rule: Written & { tool: string } = { tool: '*' };
  for (const [name, written] of Object.entries(value)) {
    const member = Object.hasOwn(members, name) ? members[name] : undefined;
    if (member === undefined) {
      complaints.push(unknown(name));
      continue;
    }
    const read = member(written);
    const wrong = read instanceof Wrong ? [read] : Array.isArray(read) ? (read as readonly Wrong[]) : [];
    for (const { code, message, hint, item } of wrong)
      complaints.push({
        code,
        at: item === undefined ? [name] : [name, item],
        message: `${name} ${message}`,
        hint,
      });
    if (wrong.length === 0) Object.assign(rule, read);
  }
  if (complaints.length === 0) complaints.push(...contradictions(value, rule));
  return complaints.length > 0 ? { ok: false, complaints } : { ok: true, rule };
}

function contradictions(value: JsonObject, rule: Written): RuleComplaint[] {
  const demands = Object.keys(value).filter((it) => !['tool', 'effect', 'reason'].includes(it));
  if (demands.length === 0)
    return [
      {
        code: 'schema.required',
        at: [],
        message: 'this rule demands nothing',
        hint: 'add what it is for, such as approval = "ask" or rate_limit = "10/minute"',
      },
    ];
  if (rule.overManifest === true && rule.approval !== 'allow')
    return [
      {
        code: 'schema.const',
        at: ['override_manifest'],
        message: 'override_manifest goes with approval = "allow" only',
        hint: 'leave it out, or add approval = "allow"',
      },
    ];
  if (rule.undeclaredEffect !== undefined && rule.effects !== undefined)
    return [
      {
        code: 'schema.closed',
        at: ['effect'],
        message: 'a rule that says what tools do cannot choose them by what they do',
        hint: 'leave effect out',
      },
    ];
  return [];
}

function unknown(name: string): RuleComplaint {
  const names = Object.keys(members);
  const meant = suggest(name, names);
  const hint = meant === undefined ? `a rule has ${names.join(', ')}` : `did you mean ${meant}?`;
  return { code: 'schema.closed', at: [name], message: `a rule has no ${name}`, hint, spot: 'key' };
}

function checked<T extends Json>(
  value: Json,
  fits: (it: Json) => it is T,
  use: (it: T) => Written,
  hint: string,
): Written | Wrong {
  if (fits(value)) return use(value);
  return new Wrong('schema.type', `is ${JSON.stringify(value)}`, hint);
}

function choice<T extends string>(value: Json, all: readonly T[], use: (it: T) => Written): Written | Wrong {
  const found = all.find((it) => it === value);
  if (found !== undefined) return use(found);
  const meant = typeof value === 'string' ? suggest(value, all) : undefined;
  const hint = meant === undefined ? `write one of ${all.join(', ')}` : `did you mean "${meant}"?`;
  return new Wrong('schema.enum', `is ${JSON.stringify(value)}`, hint);
}

function list(
  value: Json,
  all: readonly string[],
  use: (it: readonly string[]) => Written,
): Written | readonly Wrong[] {
  if (!Array.isArray(value) || value.length === 0)
    return [new Wrong('schema.type', `is ${JSON.stringify(value)}`, `write a list of ${all.join(', ')}`)];
  const wrong = value.flatMap((it, item) => {
    const found = choice(it, all, () => ({}));
    return found instanceof Wrong
      ? [new Wrong(found.code, `holds ${JSON.stringify(it)}`, found.hint, item)]
      : [];
  });
  return wrong.length > 0 ? wrong : use([...new Set(value as readonly string[])]);
}

function patterns(value: Json): Written | readonly Wrong[] {
  if (!Array.isArray(value))
    return [new Wrong('schema.type', 'is not a list', 'write regular expressions in quotes')];
  const wrong = value.flatMap((it, item) => {
    if (typeof it === 'string' && it !== '' && compiles(it) && isLinear(it)) return [];
    return [
      new Wrong(
        'schema.pattern',
        `holds ${JSON.stringify(it)}, which cannot be searched for`,
        'write a regular expression without look-around, back-references and large counts',
        item,
      ),
    ];
  });
  return wrong.length > 0 ? wrong : { denyPatterns: value as readonly string[] };
}

function compiles(pattern: string): boolean {
  try {
    new RegExp(pattern, 'i');
    return true;
  } catch {
    return false;
  }
}

function perWindow(
  value: Json,
  number: RegExp,
  hint: string,
  use: (count: number, per: RateLimit['per']) => Written,
): Written | Wrong {
  const [count = '', unit, ...more] = typeof value === 'string' ? value.split('/') : [];
  const per = windows.find((it) => it === unit);
  if (per !== undefined && more.length === 0 && number.test(count)) return use(Number(count), per);
  return new Wrong(
    'schema.pattern',
    `is ${JSON.stringify(value)}`,
    `${hint}; times are ${windows.join(', ')}`,
  );
}

const isSwitch = (it: Json): it is boolean => typeof it === 'boolean';
const isAmount = (it: Json): it is number => typeof it === 'number' && Number.isFinite(it) && it >= 0;
const isCount = (it: Json): it is number => Number.isInteger(it) && (it as number) >= 1;
const isWords = (it: Json): it is string =>
  typeof it === 'string' && it.trim() !== '' && it.length <= 300 && findHidden(it).length === 0;
const isPattern = (it: Json): it is string =>
  typeof it === 'string' && (isToolPattern(it) || isReadingPattern(it));

/** `package/prompt:NAME` or `package/resource:ADDRESS`, each with `*` for any characters. */
function isReadingPattern(text: string): boolean {
  return /^[A-Za-z0-9_.*-]{1,200}\/(?:prompt|resource):[\x21-\x7e]{1,300}$/.test(text);
}

/** `*`, a package, or `package/tool`, each with `*` for any characters; tools of servers may have slashes in their names. */
export function isToolPattern(text: string): boolean {
  return /^[A-Za-z0-9_.*-]{1,200}(?:\/[A-Za-z0-9_.*/-]{1,200})?$/.test(text);
}
