import type { ApprovalRequest } from '../../model/approval.js';
import { HostError } from '../../model/host-error.js';
import type { Json } from '../../model/json.js';
import { decide } from '../../policy/decide.js';
import type { Answer } from '../host.js';
import type { Call } from './call.js';
import { freezeHooked } from './call-freezing.js';
import type { CallServices } from './call-services.js';
import type { FrozenCall } from './frozen-call.js';

/**
 * The call with the arguments that a person wrote instead. It is checked from the start, as if the caller had sent them:
 * hooks, guardrails, scans and rules. Only the question is answered already.
 */
export async function freezeReplaced(
  services: CallServices,
  call: Call,
  { tool, replacement }: ApprovalRequest,
): Promise<FrozenCall> {
  const request = { ...call.request, tool };
  // The person saw and wrote all arguments, also those that a set fixes; these stay as they are.
  const frozen = await freezeHooked(services, { ...call, request }, replacement as Json, 'host');
  const decision = decide({ ...frozen.callable, input: frozen.input });
  if (decision.kind === 'deny')
    throw new HostError(
      'denied',
      `a person approved this call with other arguments, which are denied: ${decision.reasons.join('; ')}`,
    );
  return frozen;
}

/** Tells the caller which arguments were used. */
export function withReplaced(answer: Answer, { input }: FrozenCall): Answer {
  return { ...answer, replaced: { arguments: input } };
}
