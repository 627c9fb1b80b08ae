import type { ClientRequests } from '../../host/host.js';
import { HostError } from '../../model/host-error.js';
import { isObject, type Json, type JsonObject } from '../../model/json.js';
import type { QuestionLimit } from './approval-question.js';
import { questionModes } from './question-modes.js';

/** Passes requests of servers to a client, as far as it declared that it answers them. Undefined if it answers none. */
export function clientRequestsOf(
  declared: Json | undefined,
  limit: QuestionLimit,
  send: ClientRequests['send'],
): ClientRequests | undefined {
  const { sampling, roots } = isObject(declared) ? declared : {};
  const elicitation = questionModes(declared);
  const capabilities: JsonObject = {
    ...(elicitation === undefined ? {} : { elicitation }),
    ...(isObject(sampling) ? { sampling } : {}),
    ...(isObject(roots) ? { roots } : {}),
  };
  if (Object.keys(capabilities).length === 0) return undefined;
  return {
    capabilities,
    async send(method, params) {
      if (method === 'sampling/createMessage' && !mayUseTools(sampling) && params.tools !== undefined)
        throw new HostError('not_supported', 'the client does not offer sampling with tools');
      if (!limit.take())
        throw new HostError('rate_limited', 'servers asked this client too often; try again later');
      return send(method, params);
    },
  };
}

function mayUseTools(sampling: Json | undefined): boolean {
  return isObject(sampling) && isObject(sampling.tools);
}

/** The error of a client that gave no usable answer. */
export function noClientAnswer(method: string): HostError {
  return new HostError('denied', `the client did not answer ${method}`);
}
