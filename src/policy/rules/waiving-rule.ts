// Which operator rules waive a question or weaken a protection, and what stays of them without that.
import type { Json } from '../../model/json.js';
import type { Rule } from '../../model/rule.js';

/**
 * Whether a rule makes the policy less strict: it removes an approval, or sets a weaker effect for tools that declare
 * none. A rule of a project never does.
 */
export function ruleWaives(rule: Rule): boolean {
  if (rule.origin.kind === 'project') return false;
  return rule.approval === 'allow' || lowersEffect(rule);
}

/** The rule without what makes the policy less strict. Its limits and other requirements stay. */
export function withoutWaiver(rule: Rule): Rule {
  const { approval, overManifest: _, undeclaredEffect, ...rest } = rule;
  return {
    ...rest,
    ...(approval === undefined || approval === 'allow' ? {} : { approval }),
    ...(undeclaredEffect === undefined || lowersEffect(rule) ? {} : { undeclaredEffect }),
  };
}

/** Everything that the rule says, without where it is written. */
export function ruleContent({ origin: _, ...rest }: Rule): Json {
  return JSON.parse(JSON.stringify(rest)) as Json;
}

/** What a waiving rule does, for people. */
export function waivingRuleText(rule: Rule): string {
  const tools = `${rule.tool}${rule.effects === undefined ? '' : ` (${rule.effects.join(', ')})`}`;
  const parts = [
    ...(rule.approval !== 'allow'
      ? []
      : rule.overManifest === true
        ? [`calls of ${tools} run without the approval that the host or the manifest requires`]
        : [`calls of ${tools} run without the approval that the host requires`]),
    ...(lowersEffect(rule)
      ? [`tools of ${tools} without a declared effect count as "${rule.undeclaredEffect}"`]
      : []),
  ];
  return parts.join('; ');
}

/** An undeclared effect counts as destructive if the tool says so, so every other value may be weaker. */
function lowersEffect({ undeclaredEffect }: Rule): boolean {
  return undeclaredEffect !== undefined && undeclaredEffect !== 'destructive';
}
