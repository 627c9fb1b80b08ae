import { HostError } from '../../model/host-error.js';
import { isObject, type Json, type JsonObject } from '../../model/json.js';
import { askersKey } from '../../model/question-askers.js';
import { questionKeyIn, withQuestionKey } from '../../model/question-key.js';
import { visible, visibleLine } from '../print/visible.js';

/** Sends a tool's question to the user at the client. Returns the elicitation result. */
export type AskUser = (question: JsonObject) => Promise<JsonObject>;

/**
 * Adds the name of the tool, prompt or resource to the question of its server, and makes hidden characters visible. A
 * question that cannot be shown is an error: the user has not declined it.
 */
export function attributed(kind: 'tool' | 'prompt' | 'resource', name: string, ask: AskUser): AskUser {
  return async (asked) => {
    const { message, _meta } = asked;
    const text = visible(typeof message === 'string' ? message : '').slice(0, 4000);
    const question = { message: `${askerOf(kind, name, _meta)} asks:\n\n${text}`, ...contentOf(asked) };
    return ask(withQuestionKey(question, questionKeyIn(_meta)));
  };
}

/** Characters of an address. */
const maxUrl = 4000;
const maxId = 200;

/** The form, or the page that the user opens. */
function contentOf(question: JsonObject): JsonObject {
  const { mode = 'form', requestedSchema } = question;
  if (mode === 'form' && isObject(requestedSchema)) return { requestedSchema };
  const page = pageOf(question);
  if (page !== undefined) return page;
  throw new HostError('not_supported', 'a question must be a form, or a page with an address on the web');
}

/** The page in a question. Undefined: it has none that may be opened. */
export function pageOf({ mode, url, elicitationId }: JsonObject): JsonObject | undefined {
  if (mode !== 'url' || typeof url !== 'string' || !isPage(url)) return undefined;
  const hasId = typeof elicitationId === 'string' && elicitationId.length <= maxId;
  return { mode, url, ...(hasId ? { elicitationId } : {}) };
}

/** Whether a browser opens it as a page. An address with a name and password in it hides its host. */
function isPage(url: string): boolean {
  if (url.length > maxUrl || visibleLine(url) !== url || !URL.canParse(url)) return false;
  const { protocol, username, password } = new URL(url);
  return ['https:', 'http:'].includes(protocol) && username === '' && password === '';
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
