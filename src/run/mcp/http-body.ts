import { isObject } from '../../model/json.js';
import { answerLimits, documentLimits, JsonMeter, tryParseBounded } from '../../model/json-bounds.js';
import type { HttpStream } from '../../net/http-client.js';
import { answerError } from '../rpc/answer-error.js';
import { RpcFailure } from '../rpc/rpc-failure.js';

/** Extra bytes allowed around an answer, and the limit for an error body. */
export const bodyOverheadBytes = 64 * 1024;

export function streamsEvents({ headers }: HttpStream): boolean {
  return /^text\/event-stream\b/i.test(headers['content-type'] ?? '');
}

/** `limit`: bytes. `name`: for messages. */
export async function bodyText({ body }: HttpStream, limit: number, name: string): Promise<string> {
  const chunks: Buffer[] = [];
  const meter = new JsonMeter(answerLimits);
  let size = 0;
  for await (const chunk of body) {
    size += (chunk as Buffer).length;
    if (size > limit) throw answerError.tooLarge(name, limit - bodyOverheadBytes);
    const excess = meter.add(chunk as Buffer);
    if (excess !== undefined) throw answerError.tooComplex(name, excess);
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks).toString('utf8');
}

export function errorIn(text: string): RpcFailure | undefined {
  const value = tryParseBounded(text, documentLimits);
  const error = isObject(value) ? value.error : undefined;
  if (!isObject(error) || typeof error.code !== 'number') return undefined;
  return new RpcFailure(error.code, String(error.message ?? '').slice(0, 4000), error.data);
}
