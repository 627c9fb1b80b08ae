import type { Rule } from '../../model/rule.js';

/** A rule as TOML lines. */
export function ruleTomlLines(rule: Rule): string[] {
  const { rateLimit, spend } = rule;
  const members: [string, unknown][] = [
    ['tool', rule.tool],
    ['effect', rule.effects],
    ['approval', rule.approval],
    ['override_manifest', rule.overManifest],
    ['ask_above', rule.askAbove],
    ['max_length', rule.maxLength],
    ['deny_patterns', rule.denyPatterns],
    ['pii_redaction', rule.redact],
    ['rate_limit', rateLimit && `${rateLimit.count}/${rateLimit.per}`],
    ['max_amount', rule.maxAmount],
    ['spend', spend && `${spend.amount}/${spend.per}`],
    ['output_schema', rule.outputSchema],
    ['undeclared_effect', rule.undeclaredEffect],
    ['reason', rule.reason],
  ];
  const written = members.flatMap(([name, value]) =>
    value === undefined ? [] : [`${name} = ${toml(value)}`],
  );
  return ['[[rules]]', ...written];
}

/** TOML writes lists and strings like JSON; inline tables use an equals sign. */
function toml(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(toml).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([name, member]) => `${JSON.stringify(name)} = ${toml(member)}`);
  return `{ ${members.join(', ')} }`;
}
