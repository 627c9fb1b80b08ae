import { type RateLimit, windowMs } from '../../model/guardrails.js';
import type { JsonSchema } from '../../model/json.js';
import type { Rule, SpendCap } from '../../model/rule.js';

/** One requirement, with the rule it comes from. */
export interface Requirement<T> {
  readonly value: T;
  readonly rule: Rule;
}

/** Everything that rules require of the calls of one tool: each requirement once, in its strictest form. */
export interface Requirements {
  readonly rules: readonly Rule[];
  readonly maxLength?: Requirement<number>;
  readonly denyPatterns: readonly Requirement<string>[];
  readonly redact: readonly string[];
  readonly outputs: readonly Requirement<JsonSchema>[];
  readonly maxAmount?: Requirement<number>;
  readonly askAbove?: Requirement<number>;
  /** The strictest for each time window. */
  readonly rates: readonly Requirement<RateLimit>[];
  readonly spends: readonly Requirement<SpendCap>[];
}

/** Combines rules so that all of them hold. Their order does not change what is allowed. */
export function combineRules(rules: readonly Rule[]): Requirements {
  const each = <T>(get: (rule: Rule) => T | undefined): Requirement<T>[] =>
    rules.flatMap((rule) => {
      const value = get(rule);
      return value === undefined ? [] : [{ value, rule }];
    });
  const maxLength = least(each((it) => it.maxLength));
  const maxAmount = least(each((it) => it.maxAmount));
  const askAbove = least(each((it) => it.askAbove));
  return {
    rules,
    ...(maxLength === undefined ? {} : { maxLength }),
    denyPatterns: rules.flatMap((rule) => (rule.denyPatterns ?? []).map((value) => ({ value, rule }))),
    redact: [...new Set(rules.flatMap((it) => it.redact ?? []))],
    outputs: each((it) => it.outputSchema),
    ...(maxAmount === undefined ? {} : { maxAmount }),
    ...(askAbove === undefined ? {} : { askAbove }),
    rates: perWindow(
      each((it) => it.rateLimit),
      (it) => it.count,
    ),
    spends: perWindow(
      each((it) => it.spend),
      (it) => it.amount,
    ),
  };
}

function least(requirements: readonly Requirement<number>[]): Requirement<number> | undefined {
  return strictest(requirements, (it) => it);
}

function perWindow<T extends { readonly per: RateLimit['per'] }>(
  requirements: readonly Requirement<T>[],
  size: (value: T) => number,
): Requirement<T>[] {
  const windows = Object.keys(windowMs) as RateLimit['per'][];
  return windows.flatMap((per) => {
    const result = strictest(
      requirements.filter((it) => it.value.per === per),
      size,
    );
    return result === undefined ? [] : [result];
  });
}

function strictest<T>(
  requirements: readonly Requirement<T>[],
  size: (value: T) => number,
): Requirement<T> | undefined {
  return requirements.reduce<Requirement<T> | undefined>(
    (best, it) => (best === undefined || size(it.value) < size(best.value) ? it : best),
    undefined,
  );
}
