import { HostError } from '../model/host-error.js';
import type { JsonObject } from '../model/json.js';
import { originText, type RuleOrigin } from '../model/rule.js';
import type { Tool } from '../model/tool.js';
import { amountOf } from './amount.js';
import type { Demands } from './combine.js';

/** The amount that counts for this call; throws where it is too much, or unclear where somebody set a cap. */
export function cappedAmount(name: string, tool: Tool, demands: Demands, input: JsonObject): number {
  const { maxAmount, spends } = demands;
  const cap = maxAmount ?? spends[0];
  if (cap === undefined) return 0;
  const amount = amountOf(input, tool.input);
  if (amount.kind === 'none') return 0;
  if (amount.kind === 'unclear') {
    throw new HostError('spend_limit', `${name} has a spend cap, and ${amount.why}`, {
      cause: cap.rule,
      hint: 'write the amount as a number that is not negative, at the top of the arguments',
    });
  }
  if (maxAmount !== undefined && amount.value > maxAmount.value) {
    throw new HostError(
      'spend_limit',
      `${amount.value} is more than the ${maxAmount.value} that one call of ${name} may spend (${who(maxAmount.rule.origin)})`,
      { cause: maxAmount.rule, hint: 'ask for less, or ask the operator' },
    );
  }
  return amount.value;
}

/** For a model as well as a person: a manifest's own rule needs no path. */
export function who(origin: RuleOrigin): string {
  return origin.kind === 'manifest' ? 'its own guardrail' : originText(origin);
}
