import type { MessagePoint } from '../../../host/host.js';
import { isObject } from '../../../model/json.js';
import { HttpError } from '../http-error.js';
import { bodyMembers, documentSchema, type Route } from '../route.js';

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
    body: {
      type: 'object',
      required: ['message'],
      additionalProperties: false,
      properties: { message: { type: 'object', description: 'The message, for example {"text": "…"}.' } },
    },
    responses: {
      200: {
        description: 'The message after the hooks, or the extension that stopped it and its reason.',
        schema: documentSchema('toolwharf/message@1', {
          status: { enum: ['go', 'abort'] },
          message: { type: 'object' },
          changedBy: { type: 'array', items: { type: 'string' } },
          reason: { type: 'string' },
          by: { type: 'string' },
        }),
      },
    },
    handle: async ({ caller, body, signal }) => {
      const { message } = bodyMembers(body, ['message']);
      if (!isObject(message)) throw new HttpError(400, 'usage', '"message" must be an object');
      const { kind, ...verdict } = await (await caller.session()).message(point, message, signal);
      return { body: { schema: 'toolwharf/message@1', status: kind, ...verdict } };
    },
  }));
}
