import { HostError } from '../../model/host-error.js';
import type { Json, JsonObject } from '../../model/json.js';
import { supportsForms } from './approval-question.js';
import { supportsUrls } from './page-question.js';

/** Whether a client can ask its user anything for a server. */
export function supportsQuestions(capabilities: Json | undefined): boolean {
  return supportsForms(capabilities) || supportsUrls(capabilities);
}

/** What a client can show, as a server learns it. Undefined if it is only forms. */
export function questionModes(capabilities: Json | undefined): JsonObject | undefined {
  if (!supportsUrls(capabilities)) return undefined;
  return { ...(supportsForms(capabilities) ? { form: {} } : {}), url: {} };
}

/**
 * A question of a server as this client can show it. A server of 2025 does not know whether the client opens pages, so for
 * one that does not, the address of the page becomes part of the text of a form.
 */
export function shownQuestion(question: JsonObject, capabilities: Json | undefined): JsonObject {
  if (question.mode !== 'url' ? supportsForms(capabilities) : supportsUrls(capabilities)) return question;
  if (question.mode !== 'url' || !supportsForms(capabilities))
    throw new HostError('not_supported', 'the client cannot show this kind of question');
  const { mode, url, elicitationId, message, ...rest } = question;
  const text = `${String(message)}\n\nOpen this page in your browser, then answer here: ${String(url)}`;
  return { ...rest, message: text, requestedSchema: { type: 'object', properties: {} } };
}
