import { isObject, type JsonObject } from '../../../model/json.js';
import type { Held, Hold, Resumed } from '../calls.js';
import type { FrontOptions } from '../front.js';
import { decisionIn, question } from '../hold.js';
import type { HeldState } from '../signer.js';
import { boundTo } from './carried.js';

/** The one question of a result; the client answers under the same key. */
const key = 'approval';

/** A held call becomes a result that asks; the client repeats its request with the answer and this state. */
export function askBack(options: FrontOptions, params: JsonObject, { confirmation, again }: Hold): Held {
  const requestState = options.signer.seal({
    kind: 'held',
    ...boundTo(options, params),
    approval: confirmation.token,
    again,
    expiresAt: Date.parse(confirmation.expiresAt),
  });
  return {
    kind: 'asking',
    result: {
      resultType: 'input_required',
      inputRequests: { [key]: { method: 'elicitation/create', params: question(confirmation) } },
      requestState,
    },
  };
}

/** The decision that a repeated request brings. It uses the state up. */
export function readDecision(
  { approval, again }: HeldState,
  { inputResponses }: JsonObject,
  use: () => void,
): Resumed | undefined {
  const answer =
    isObject(inputResponses) && Object.hasOwn(inputResponses, key) ? inputResponses[key] : undefined;
  const decision = decisionIn(answer);
  // Without an answer nothing is used up: the call is held as before, and asked about anew.
  if (decision === undefined) return undefined;
  use();
  return { approval, again, decision };
}
