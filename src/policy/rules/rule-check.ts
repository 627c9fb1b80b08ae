import { windowMs } from '../../model/guardrails.js';
import { HostError } from '../../model/host-error.js';
import { unknownPersonalData } from '../../model/personal-data.js';
import type { Rule } from '../../model/rule.js';
import { effects } from '../../model/tool.js';

/** Rules also come from sockets and library callers. An invalid rule must stop the session, not be ignored. */
export function assertRules(rules: readonly Rule[]): void {
  if (!Array.isArray(rules)) throw invalid('the rules are not a list');
  for (const rule of rules) assertRule(rule);
}

function assertRule(rule: Rule): void {
  const where = `the rule for ${String(rule?.tool)}`;
  const require = (valid: boolean, problem: string) => {
    if (!valid) throw invalid(`${where} has ${problem}`);
  };
  require(typeof rule?.tool === 'string' && rule.tool !== '', 'no tool');
  require(typeof rule.origin?.kind === 'string', 'no origin');
  require(['undefined', 'allow', 'ask', 'deny'].includes(String(rule.approval)), 'an unknown approval value');
  const loosens = rule.approval === 'allow' || rule.overManifest === true;
  require(!(
    rule.origin.kind === 'project' && loosens
  ), 'an "allow" from a project; project rules may only restrict');
  for (const it of [rule.askAbove, rule.maxAmount, rule.spend?.amount])
    require(it === undefined || (Number.isFinite(it) && it >= 0), 'an amount that is not a number');
  for (const it of [rule.maxLength, rule.rateLimit?.count])
    require(it === undefined || (Number.isInteger(it) && it >= 1), 'a count that is not a whole number');
  for (const it of [rule.rateLimit, rule.spend])
    require(it === undefined || Object.hasOwn(windowMs, it.per), 'an unknown time window');
  for (const it of [rule.denyPatterns, rule.redact, rule.effects])
    require(it === undefined || Array.isArray(it), 'a value that must be a list and is not');
  require(unknownPersonalData(rule.redact ?? []).length === 0, 'an unknown category of personal data');
  for (const it of [
    ...(rule.effects ?? []),
    ...(rule.undeclaredEffect === undefined ? [] : [rule.undeclaredEffect]),
  ])
    require(effects.includes(it), 'an unknown effect');
}

function invalid(message: string): HostError {
  return new HostError('invalid_config', message, { hint: 'see "rules" in docs/config.md' });
}
