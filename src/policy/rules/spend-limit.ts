import { HostError } from '../../model/host-error.js';
import type { JsonObject } from '../../model/json.js';
import { type RuleOrigin, ruleOriginText } from '../../model/rule.js';
import type { Tool } from '../../model/tool.js';
import { amountOf } from './amount.js';
import type { Requirements } from './requirements.js';

/** The amount that this call spends. Throws when it exceeds a cap, or is unclear while a cap is set. */
export function cappedAmount(
  name: string,
  tool: Tool,
  requirements: Requirements,
  input: JsonObject,
): number {
  const { maxAmount, spends } = requirements;
  const cap = maxAmount ?? spends[0];
  if (cap === undefined) return 0;
  const amount = amountOf(input, tool.input);
  if (amount.kind === 'none') return 0;
  if (amount.kind === 'unclear') {
    throw new HostError('spend_limit', `${name} has a spend limit, but ${amount.why}`, {
      cause: cap.rule,
      hint: 'give the amount as a non-negative number at the top level of the arguments',
    });
  }
  if (maxAmount !== undefined && amount.value > maxAmount.value) {
    throw new HostError(
      'spend_limit',
      `the amount ${amount.value} exceeds the limit of ${maxAmount.value} for one call of ${name} (${ruleOwner(maxAmount.rule.origin)})`,
      { cause: maxAmount.rule, hint: 'use a smaller amount, or ask the operator to change the limit' },
    );
  }
  return amount.value;
}

/** Where a rule comes from, for messages. Models read them too, so a manifest is named without its path. */
export function ruleOwner(origin: RuleOrigin): string {
  return origin.kind === 'manifest' ? 'its own guardrail' : ruleOriginText(origin);
}
