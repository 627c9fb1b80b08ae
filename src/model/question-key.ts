import { isObject, type Json, type JsonObject } from './json.js';

/**
 * Member of the `_meta` of a server's question: the key under which the server expects the answer (2026 era). Only the
 * host sets it, and no client sees it.
 */
const questionKey = 'toolwharf/question-key';

/** Keys are chosen by servers. Others get a key of the host. */
const plainKey = /^[\w.:-]{1,64}$/;

/** A question with the key of its server. */
export function withQuestionKey(question: JsonObject, key: string | undefined): JsonObject {
  if (key === undefined || !plainKey.test(key)) return question;
  return { ...question, _meta: { ...(isObject(question._meta) ? question._meta : {}), [questionKey]: key } };
}

/** The key in the `_meta` of a question. Undefined: its server chose none. */
export function questionKeyIn(meta: Json | undefined): string | undefined {
  const key = isObject(meta) ? meta[questionKey] : undefined;
  return typeof key === 'string' ? key : undefined;
}

/** The question without the key, as a client gets it. */
export function withoutQuestionKey({ _meta, ...question }: JsonObject): JsonObject {
  if (!isObject(_meta)) return question;
  const { [questionKey]: _, ...rest } = _meta;
  return Object.keys(rest).length === 0 ? question : { ...question, _meta: rest };
}
