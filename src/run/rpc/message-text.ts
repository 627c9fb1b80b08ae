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
