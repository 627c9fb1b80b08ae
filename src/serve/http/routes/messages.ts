import type { MessagePoint } from '../../../host/host.js';
import {
  anyText,
  arrayOf,
  jsonObject,
  object,
  oneOf,
  optional,
  text,
} from '../../../host/operations/shape.js';
import { bodyOf, documentSchema, type Route } from '../route.js';

const messageBody = object({ message: jsonObject('The message, for example {"text": "…"}.') });

const points: Readonly<Record<MessagePoint, string>> = {
  before_message:
    'Run the before_message hooks of extensions on a message to the agent. A hook can change or stop the message.',
  after_message:
    'Run the after_message hooks of extensions on a message from the agent. They cannot change it.',
};

/** Message hooks for the program that runs the agent: only that program sees the messages. */
export function messageRoutes(): readonly Route[] {
  return (Object.entries(points) as [MessagePoint, string][]).map(([point, summary]) => ({
    method: 'POST',
    path: `/api/v1/hooks/${point}`,
    role: 'agent',
    summary,
    body: messageBody.schema,
    responses: {
      200: {
        description: 'The message after the hooks, or the extension that stopped it and its reason.',
        schema: documentSchema('toolwharf/message@1', {
          status: oneOf(['go', 'abort']),
          message: optional(jsonObject()),
          changedBy: optional(arrayOf(text())),
          reason: optional(anyText()),
          by: optional(text('The package that stopped it.')),
        }),
      },
    },
    handle: async ({ caller, body, signal }) => {
      const { message } = bodyOf(messageBody, body);
      const { kind, ...verdict } = await (await caller.session()).message(point, message, signal);
      return { body: { schema: 'toolwharf/message@1', status: kind, ...verdict } };
    },
  }));
}
