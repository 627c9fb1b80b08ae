import { appExtension, appSettings } from '../../model/app-resource.js';
import { isObject, type JsonObject } from '../../model/json.js';
import type { ServerRequestKind } from '../../model/server-request.js';
import { tasksExtension } from '../../model/tasks-extension.js';
import type { AskedClient } from '../run.js';
import type { ClientContext } from './server-requests.js';

/**
 * What is announced to a server when it starts. Elicitation is always offered; without a user, questions are declined.
 * What only some clients have is rejected for the others.
 */
export function announcedCapabilities(
  { roots }: ClientContext,
  allowed: readonly ServerRequestKind[] = [],
): JsonObject {
  return {
    ...(roots.length === 0 && !allowed.includes('roots') ? {} : { roots: {} }),
    ...(allowed.includes('sampling') ? { sampling: {} } : {}),
    elicitation: { form: {}, url: {} },
    // A server announces all that it has, so that there is one announcement to accept for all clients.
    extensions: { [appExtension]: appSettings },
  };
}

/** The capabilities in one request of the 2026 era: what the client of this call has. */
export function capabilitiesMeta(
  { roots: own }: ClientContext,
  { onAsk, clientRequests, apps }: AskedClient,
): JsonObject {
  const { roots, sampling, elicitation = { form: {} } } = clientRequests?.capabilities ?? {};
  return {
    'io.modelcontextprotocol/clientCapabilities': {
      ...(own.length > 0 || isObject(roots) ? { roots: {} } : {}),
      ...(isObject(sampling) ? { sampling } : {}),
      ...(onAsk === undefined ? {} : { elicitation }),
      extensions: { ...(apps === 'shown' ? { [appExtension]: appSettings } : {}), [tasksExtension]: {} },
    },
  };
}
