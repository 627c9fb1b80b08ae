import { isObject, type JsonObject } from '../../../model/json.js';
import { approvalQuestion, decisionIn } from '../approval-question.js';
import { pageQuestion } from '../page-question.js';
import type { McpServerOptions } from '../server-options.js';
import type { HeldState } from '../state-signer.js';
import type { HeldCall, HoldResponse, ResumedCall } from '../tool-call.js';
import { stateBinding } from './request-state.js';

/** Key of the question in `inputRequests`. The client answers under the same key. */
const key = 'approval';

/** The `input_required` result of a held call. The client repeats its request with the answer and this state. */
export async function approvalRequired(
  options: McpServerOptions,
  params: JsonObject,
  { confirmation, isInnerCall }: HeldCall,
  way: HeldState['way'],
): Promise<HoldResponse> {
  const question =
    way === 'form'
      ? approvalQuestion(await options.approvals.get(confirmation.token))
      : pageQuestion(confirmation, confirmation.url ?? '');
  const requestState = options.stateSigner.sign({
    kind: 'held',
    ...stateBinding(options, 'tools/call', params),
    approval: confirmation.token,
    isInnerCall,
    way,
    expiresAt: Date.parse(confirmation.expiresAt),
  });
  return {
    kind: 'input-required',
    result: {
      resultType: 'input_required',
      inputRequests: { [key]: { method: 'elicitation/create', params: question } },
      requestState,
    },
  };
}

/** The decision in a repeated request. Marks the state as used. */
export function readDecision(
  { waiting }: McpServerOptions,
  { approval, isInnerCall, way }: HeldState,
  { inputResponses }: JsonObject,
  use: () => void,
): ResumedCall | undefined {
  const answer =
    isObject(inputResponses) && Object.hasOwn(inputResponses, key) ? inputResponses[key] : undefined;
  const decision = decisionIn(answer);
  // Without an answer the state stays valid: the call is still held, and the user is asked again.
  if (decision === undefined) return undefined;
  use();
  if (way === 'form') return { approval, isInnerCall, decision };
  // Whatever the answer contains, it only says whether the user opened the page.
  const isOpened = isObject(answer) && answer.action === 'accept';
  return { approval, isInnerCall, decision: 'elsewhere', waitMs: isOpened ? waiting.pageWaitMs : 0 };
}
