import { windowMs } from '../model/guardrails.js';
import { HostError } from '../model/host-error.js';
import { unknownCategories } from '../model/personal.js';
import type { Rule } from '../model/rule.js';
import { effects } from '../model/tool.js';

/** Rules come over a socket and from programs too: one that could not be enforced stops the session. */
export function assertRules(rules: readonly Rule[]): void {
  if (!Array.isArray(rules)) throw invalid('the rules are not a list');
  for (const rule of rules) assertRule(rule);
}

function assertRule(rule: Rule): void {
  const where = `the rule for ${String(rule?.tool)}`;
  const must = (holds: boolean, what: string) => {
    if (!holds) throw invalid(`${where} has ${what}`);
  };
  must(typeof rule?.tool === 'string' && rule.tool !== '', 'no tool');
  must(typeof rule.origin?.kind === 'string', 'no origin');
  must(['undefined', 'allow', 'ask', 'deny'].includes(String(rule.approval)), 'an unknown approval');
  const loosens = rule.approval === 'allow' || rule.overManifest === true;
  must(!(rule.origin.kind === 'project' && loosens), 'an "allow" of a project, which may only tighten');
  for (const it of [rule.askAbove, rule.maxAmount, rule.spend?.amount])
    must(it === undefined || (Number.isFinite(it) && it >= 0), 'an amount that is no number');
  for (const it of [rule.maxLength, rule.rateLimit?.count])
    must(it === undefined || (Number.isInteger(it) && it >= 1), 'a count that is no whole number');
  for (const it of [rule.rateLimit, rule.spend])
    must(it === undefined || Object.hasOwn(windowMs, it.per), 'an unknown window of time');
  for (const it of [rule.denyPatterns, rule.redact, rule.effects])
    must(it === undefined || Array.isArray(it), 'a list that is none');
  must(unknownCategories(rule.redact ?? []).length === 0, 'an unknown category of personal data');
  for (const it of [
    ...(rule.effects ?? []),
    ...(rule.undeclaredEffect === undefined ? [] : [rule.undeclaredEffect]),
  ])
    must(effects.includes(it), 'an unknown effect');
}

function invalid(message: string): HostError {
  return new HostError('invalid_config', message, { hint: 'see "rules" in docs/config.md' });
}
