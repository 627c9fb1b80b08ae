import { HostError } from '../../model/host-error.js';
import { isObject } from '../../model/json.js';
import type { StandingRuleInput } from '../../model/standing-rule.js';
import { checkRule, ruleCovers } from '../../policy/rules/standing-rule.js';
import type { ApprovalQueue } from '../../store/approvals.js';
import type { RulePreview } from '../host.js';

const dayMs = 24 * 3_600_000;
const maxDays = 90;
const maxCalls = 20;

/** Which held calls a rule would have answered. */
export async function previewRule(
  rule: StandingRuleInput,
  days: number,
  queue: ApprovalQueue,
  now: number,
): Promise<RulePreview> {
  checkRule(rule, now);
  if (!(days > 0 && days <= maxDays))
    throw new HostError('usage', `days must be a number up to ${maxDays}, above 0`);
  const since = now - days * dayMs;
  const held = (await queue.ofTool(rule.tool, since)).filter(
    (it) => rule.principal === null || it.principal === rule.principal,
  );
  const known = held.filter((it) => isObject(it.arguments));
  const answered = known.filter((it) => isObject(it.arguments) && ruleCovers(rule.conditions, it.arguments));
  return {
    since,
    held: held.length,
    answered: answered.length,
    asked: known.length - answered.length,
    unknown: held.length - known.length,
    calls: answered
      .slice(-maxCalls)
      .reverse()
      .map(({ id, createdAt, principal, arguments: args, state }) => ({
        ...{ id, at: createdAt, principal, state },
        arguments: args,
      })),
  };
}
