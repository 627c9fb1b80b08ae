import { isObject, type Json, type JsonObject } from '../../model/json.js';
import { askersKey } from '../../model/question-askers.js';
import { questionKeyIn, withQuestionKey } from '../../model/question-key.js';
import { visible, visibleLine } from '../print/visible.js';

/** Sends a tool's question to the user at the client. Returns the elicitation result. */
export type AskUser = (question: JsonObject) => Promise<JsonObject>;

/**
 * Adds the name of the tool, prompt or resource to the question of its server, and makes hidden characters visible. Only
 * form questions are passed on.
 */
export function attributed(kind: 'tool' | 'prompt' | 'resource', name: string, ask: AskUser): AskUser {
  return async ({ message, mode, requestedSchema, _meta }) => {
    if ((mode !== undefined && mode !== 'form') || !isObject(requestedSchema)) return { action: 'decline' };
    const text = visible(typeof message === 'string' ? message : '').slice(0, 4000);
    const question = { message: `${askerOf(kind, name, _meta)} asks:\n\n${text}`, requestedSchema };
    return ask(withQuestionKey(question, questionKeyIn(_meta)));
  };
}

/** Tools that are named as the possible origin of a question. */
const maxAskers = 8;
/** Characters of each. Names of tools are not longer. */
const maxAskerLength = 128;

/** A server of the 2025 era does not say which of its open calls a question belongs to. */
function askerOf(kind: string, name: string, meta: Json | undefined): string {
  const askers = isObject(meta) ? meta[askersKey] : undefined;
  if (!Array.isArray(askers)) return `The ${kind} ${visibleLine(name)}`;
  const named = askers
    .filter((it) => typeof it === 'string' && it !== '')
    .slice(0, maxAskers)
    .map((it) => (it as string).slice(0, maxAskerLength));
  return `A tool of the server of ${visibleLine(name)} (one of: ${visibleLine(named.join(', '))})`;
}
