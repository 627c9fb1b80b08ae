import type { Json } from '../../model/json.js';
import { answerLimits, type JsonExcess, JsonExcessError, parseBounded } from '../../model/json-bounds.js';

/** The value of a message, or the limit that its text exceeds. Neither: the text is not JSON. */
export interface MessageText {
  readonly value?: Json;
  readonly excess?: JsonExcess;
}

export function parseMessageText(text: string): MessageText {
  try {
    return { value: parseBounded(text, answerLimits) };
  } catch (error) {
    return error instanceof JsonExcessError ? { excess: error.excess } : {};
  }
}

/** The id in the beginning of an answer. `unknown`: it may be later in the text. Undefined: the text is not an answer. */
export function answeredId(given: string): number | 'unknown' | undefined {
  // Some bridges send a message as a JSON string inside JSON.
  const head = /^\s*"/.test(given) ? given.replace('"', '').replaceAll('\\"', '"') : given;
  const start =
    /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?(?:"id"\s*:\s*(\d{1,15})\s*[,}]|("method"))?/.exec(head);
  if (start === null || start[2] !== undefined) return undefined;
  return start[1] === undefined ? 'unknown' : Number(start[1]);
}
