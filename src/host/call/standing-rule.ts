import type { JsonObject } from '../../model/json.js';
import type { StandingRule } from '../../model/standing-rule.js';
import type { ConfirmationKind } from '../../policy/decide.js';
import { ruleCovers, wholePackage } from '../../policy/rules/standing-rule.js';
import type { StandingRules } from '../../store/standing-rules.js';
import type { CallableTool } from './callable-tool.js';

/** The approval or standing rule under which a call runs, as in the audit log. */
export type CallAuthorization = { readonly approval: string } | { readonly rule: string };

/** Kinds of confirmation that a standing rule can replace. All others need a person each time. */
const answerable: ReadonlySet<ConfirmationKind> = new Set([
  'human_confirm',
  'approval',
  'destructive',
  'undeclared_effect',
]);

/** Finds a standing rule that covers this call, and counts its use. Undefined if there is none. */
export async function findStandingRule(
  rules: StandingRules,
  principal: string,
  callable: CallableTool,
  input: JsonObject,
  kinds: readonly ConfirmationKind[],
): Promise<StandingRule | undefined> {
  if (kinds.some((it) => !answerable.has(it))) return undefined;
  if (kinds.every((it) => it === 'undeclared_effect')) {
    for (const rule of await rules.inForce(wholePackage(callable.package.id), null, principal))
      if (await rules.use(rule.id)) return rule;
  }
  const isDestructive = callable.tool.effect === 'destructive' || kinds.includes('destructive');
  for (const rule of await rules.inForce(callable.name, callable.digest, principal)) {
    if (isDestructive && !rule.destructive) continue;
    if (ruleCovers(rule.conditions, input) && (await rules.use(rule.id))) return rule;
  }
  return undefined;
}
