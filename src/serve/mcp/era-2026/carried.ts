import type { JsonObject } from '../../../model/json.js';
import { readCall } from '../calls.js';
import type { FrontOptions } from '../front.js';
import { argumentsDigest } from '../hold.js';
import { badParams, Fault } from '../message.js';
import type { CarriedState, Sealed } from '../signer.js';

/** What every state is bound to: this caller and this very call. */
export function boundTo(
  { holder, principal }: FrontOptions,
  params: JsonObject,
): Pick<CarriedState, 'holder' | 'principal' | 'tool' | 'arguments'> {
  const { name, arguments: given } = readCall(params);
  return { holder, principal, tool: name, arguments: argumentsDigest(given) };
}

/**
 * The state that a repeated request brings with it; undefined for a request that stands for itself. It must be ours, of
 * this caller, for this very call, in time and unused; which of these it is not is nobody's business. A request with a
 * state that is no good is never taken for a new call: what it belongs to may have happened already.
 */
export function readState(options: FrontOptions, params: JsonObject): Sealed | undefined {
  const { requestState } = params;
  if (requestState === undefined) return undefined;
  const { name, arguments: given } = readCall(params);
  const fits = (state: CarriedState) =>
    state.holder === options.holder &&
    state.principal === options.principal &&
    state.tool === name &&
    state.arguments === digestOf(given);
  const found = typeof requestState === 'string' ? options.signer.look(requestState, fits) : undefined;
  if (found === undefined) throw invalidState();
  return found;
}

export function invalidState(): Fault {
  return new Fault(badParams, 'this requestState is not valid, or no longer; make the call again', {
    reason: 'invalid_request_state',
  });
}

/** Arguments nested too deeply to have a digest are not those of any call that waits. */
function digestOf(given: JsonObject): string | undefined {
  try {
    return argumentsDigest(given);
  } catch {
    return undefined;
  }
}
