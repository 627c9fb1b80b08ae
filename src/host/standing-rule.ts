import type { JsonObject } from '../model/json.js';
import type { StandingRule } from '../model/standing-rule.js';
import type { ConfirmationKind } from '../policy/decide.js';
import { ruleCovers } from '../policy/standing-rule.js';
import type { StandingRules } from '../store/standing-rules.js';
import type { CallableTool } from './served-tool.js';

/** What a person agreed to, as the record names it. */
export type Leave = { readonly approval: string } | { readonly rule: string };

/** Questions that a rule of an operator can answer ahead. Anything else is asked each time. */
const answerable: ReadonlySet<ConfirmationKind> = new Set(['human_confirm', 'approval', 'destructive']);

/** The rule that already allows this very call; its use is counted. */
export async function standingRule(
  rules: StandingRules,
  principal: string,
  served: CallableTool,
  input: JsonObject,
  kinds: readonly ConfirmationKind[],
): Promise<StandingRule | undefined> {
  if (kinds.some((it) => !answerable.has(it))) return undefined;
  const grave = served.tool.effect === 'destructive' || kinds.includes('destructive');
  for (const rule of await rules.inForce(served.name, served.digest, principal)) {
    if (grave && !rule.destructive) continue;
    if (ruleCovers(rule.conditions, input) && (await rules.use(rule.id))) return rule;
  }
  return undefined;
}
