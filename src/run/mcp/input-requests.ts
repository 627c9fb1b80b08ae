import { HostError } from '../../model/host-error.js';
import { isObject, type Json, type JsonObject } from '../../model/json.js';
import type { AskedClient } from '../run.js';
import { answerServerRequest, type ClientContext } from './server-requests.js';

const maxInputRequests = 32;

/** Answers the input requests of a result (2026 era) like server requests of the 2025 era, all at once. */
export async function answerInputRequests(
  { inputRequests, requestState }: JsonObject,
  context: ClientContext,
  client: AskedClient,
  name: string,
): Promise<JsonObject> {
  const requests = Object.entries(isObject(inputRequests) ? inputRequests : {});
  if (requests.length > maxInputRequests)
    throw new HostError('upstream_failed', `${name} requested more than ${maxInputRequests} inputs at once`);
  const answer = async ([key, request]: [string, Json]): Promise<readonly [string, Json][]> => {
    if (!isObject(request)) return [];
    const params = isObject(request.params) ? request.params : {};
    try {
      return [[key, await answerServerRequest(String(request.method), params, context, client, key)]];
    } catch (error) {
      if (error instanceof HostError) throw error;
      throw new HostError('tool_failed', `${name} cannot continue: ${(error as Error).message}`);
    }
  };
  const responses = (await Promise.all(requests.map(answer))).flat();
  return {
    inputResponses: Object.fromEntries(responses),
    ...(requestState === undefined ? {} : { requestState }),
  };
}
