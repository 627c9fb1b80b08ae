import type { CompletionRequest, Session } from '../../host/host.js';
import type { CancelSignal } from '../../model/cancel-signal.js';
import { HostError } from '../../model/host-error.js';
import { isObject, type Json, type JsonObject } from '../../model/json.js';
import { invalidParams, RpcError } from './json-rpc.js';

/** Answers `completion/complete`. */
export async function answerCompletion(
  session: Session,
  params: JsonObject,
  signal: CancelSignal,
): Promise<JsonObject> {
  try {
    return { completion: { ...(await session.complete(readRequest(params), signal)) } };
  } catch (error) {
    if (!(error instanceof HostError) || error.code !== 'not_found') throw error;
    throw new RpcError(invalidParams, error.message);
  }
}

function readRequest({ ref, argument, context }: JsonObject): CompletionRequest {
  const { name, value } = isObject(argument) ? argument : {};
  if (typeof name !== 'string' || typeof value !== 'string')
    throw new RpcError(invalidParams, 'completion/complete needs "argument" with a name and a value');
  return { of: readRef(ref), argument: { name, value }, known: readKnown(context) };
}

function readRef(ref: Json | undefined): CompletionRequest['of'] {
  const { type, name, uri } = isObject(ref) ? ref : {};
  if (type === 'ref/prompt' && typeof name === 'string') return { prompt: name };
  if (type === 'ref/resource' && typeof uri === 'string') return { resource: uri };
  throw new RpcError(
    invalidParams,
    'completion/complete needs "ref": a prompt by name, or a resource by uri',
  );
}

function readKnown(context: Json | undefined): Record<string, string> {
  const given = isObject(context) && isObject(context.arguments) ? context.arguments : {};
  const known = Object.entries(given).filter((it): it is [string, string] => typeof it[1] === 'string');
  return Object.fromEntries(known);
}
