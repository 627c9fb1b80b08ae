import { type RateLimit, windowMs } from '../model/guardrails.js';
import type { JsonSchema } from '../model/json.js';
import type { Rule, SpendCap } from '../model/rule.js';

/** A demand with the rule that made it. */
export interface Demand<T> {
  readonly value: T;
  readonly rule: Rule;
}

/** Everything that is demanded of the calls of one tool, each demand once and in its strictest form. */
export interface Demands {
  readonly rules: readonly Rule[];
  readonly maxLength?: Demand<number>;
  readonly denyPatterns: readonly Demand<string>[];
  readonly redact: readonly string[];
  readonly outputs: readonly Demand<JsonSchema>[];
  readonly maxAmount?: Demand<number>;
  readonly askAbove?: Demand<number>;
  /** The strictest of each window. */
  readonly rates: readonly Demand<RateLimit>[];
  readonly spends: readonly Demand<SpendCap>[];
}

/** Puts rules together so that all of them hold. The order of the rules does not matter to what is allowed. */
export function combine(rules: readonly Rule[]): Demands {
  const each = <T>(of: (rule: Rule) => T | undefined): Demand<T>[] =>
    rules.flatMap((rule) => {
      const value = of(rule);
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

function least(demands: readonly Demand<number>[]): Demand<number> | undefined {
  return strictest(demands, (it) => it);
}

function perWindow<T extends { readonly per: RateLimit['per'] }>(
  demands: readonly Demand<T>[],
  size: (value: T) => number,
): Demand<T>[] {
  const windows = Object.keys(windowMs) as RateLimit['per'][];
  return windows.flatMap((per) => {
    const found = strictest(
      demands.filter((it) => it.value.per === per),
      size,
    );
    return found === undefined ? [] : [found];
  });
}

function strictest<T>(demands: readonly Demand<T>[], size: (value: T) => number): Demand<T> | undefined {
  return demands.reduce<Demand<T> | undefined>(
    (best, it) => (best === undefined || size(it.value) < size(best.value) ? it : best),
    undefined,
  );
}
