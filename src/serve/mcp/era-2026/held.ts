import { isObject, type JsonObject } from '../../../model/json.js';
import { type Held, type Hold, type Resumed, readCall } from '../calls.js';
import type { FrontOptions } from '../front.js';
import { argumentsDigest, decisionIn, question } from '../hold.js';
import { badParams, Fault } from '../message.js';
import type { HeldState } from '../signer.js';

/** The one question of a result; the client answers under the same key. */
const key = 'approval';

/** A held call becomes a result that asks; the client repeats its request with the answer and this state. */
export function askBack(options: FrontOptions, params: JsonObject, { confirmation, again }: Hold): Held {
  const { name, arguments: given } = readCall(params);
  const requestState = options.signer.seal({
    holder: options.holder,
    principal: options.principal,
    tool: name,
    arguments: argumentsDigest(given),
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

/**
 * The decision that a repeated request brings. The state must be ours, of this caller, for this very call, in time and
 * unused; which of these it is not is nobody's business.
 */
export function readDecision(options: FrontOptions, params: JsonObject): Resumed | undefined {
  const { requestState, inputResponses } = params;
  if (requestState === undefined) return undefined;
  const answer =
    isObject(inputResponses) && Object.hasOwn(inputResponses, key) ? inputResponses[key] : undefined;
  const decision = decisionIn(answer);
  // Without an answer nothing is used up: the call is held as before, and asked about anew.
  if (decision === undefined && typeof requestState === 'string') return undefined;
  const { name, arguments: given } = readCall(params);
  const fits = (state: HeldState) =>
    state.holder === options.holder &&
    state.principal === options.principal &&
    state.tool === name &&
    state.arguments === digestOf(given);
  const state = typeof requestState === 'string' ? options.signer.open(requestState, fits) : undefined;
  if (state === undefined || decision === undefined)
    throw new Fault(badParams, 'this requestState is not valid, or no longer; make the call again', {
      reason: 'invalid_request_state',
    });
  return { approval: state.approval, again: state.again, decision };
}

/** Arguments nested too deeply to have a digest are not those of any held call. */
function digestOf(given: JsonObject): string | undefined {
  try {
    return argumentsDigest(given);
  } catch {
    return undefined;
  }
}
