import type { ClientRequestMethod } from '../../host/host.js';
import type { JsonObject } from '../../model/json.js';

export type QuestionMethod = 'elicitation/create' | ClientRequestMethod;

/** Questions by their key in `inputRequests`: that of the server, as far as it is unique. */
export function questionsByKey<T extends { readonly key: string | undefined }>(
  questions: readonly T[],
): ReadonlyMap<string, T> {
  const keyed = new Map<string, T>();
  for (const it of questions) if (it.key !== undefined && !keyed.has(it.key)) keyed.set(it.key, it);
  const named = new Set(keyed.values());
  for (const [at, it] of questions.entries()) {
    if (named.has(it)) continue;
    let key = at === 0 ? 'answer' : `answer_${at + 1}`;
    while (keyed.has(key)) key = `${key}_`;
    keyed.set(key, it);
  }
  return keyed;
}

/** Whether a response has the form of a result of this method. */
export function isAnswer(method: QuestionMethod, response: JsonObject): boolean {
  switch (method) {
    case 'elicitation/create':
      return ['accept', 'decline', 'cancel'].includes(response.action as string);
    case 'sampling/createMessage':
      return typeof response.role === 'string' && response.content !== undefined;
    case 'roots/list':
      return Array.isArray(response.roots);
  }
}
