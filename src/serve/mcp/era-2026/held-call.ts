import { isObject, type JsonObject } from '../../../model/json.js';
import { approvalQuestion, decisionIn } from '../approval-question.js';
import type { McpServerOptions } from '../server-options.js';
import type { HeldState } from '../state-signer.js';
import type { HeldCall, HoldResponse, ResumedCall } from '../tool-call.js';
import { stateBinding } from './request-state.js';

/** Key of the question in `inputRequests`. The client answers under the same key. */
const key = 'approval';

/** The `input_required` result of a held call. The client repeats its request with the answer and this state. */
export function approvalRequired(
  options: McpServerOptions,
  params: JsonObject,
  { confirmation, isInnerCall }: HeldCall,
): HoldResponse {
  const requestState = options.stateSigner.sign({
    kind: 'held',
    ...stateBinding(options, params),
    approval: confirmation.token,
    isInnerCall,
    expiresAt: Date.parse(confirmation.expiresAt),
  });
  return {
    kind: 'input-required',
    result: {
      resultType: 'input_required',
      inputRequests: { [key]: { method: 'elicitation/create', params: approvalQuestion(confirmation) } },
      requestState,
    },
  };
}

/** The decision in a repeated request. Marks the state as used. */
export function readDecision(
  { approval, isInnerCall }: HeldState,
  { inputResponses }: JsonObject,
  use: () => void,
): ResumedCall | undefined {
  const answer =
    isObject(inputResponses) && Object.hasOwn(inputResponses, key) ? inputResponses[key] : undefined;
  const decision = decisionIn(answer);
  // Without an answer the state stays valid: the call is still held, and the user is asked again.
  if (decision === undefined) return undefined;
  use();
  return { approval, isInnerCall, decision };
}
