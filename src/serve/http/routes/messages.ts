import type { MessagePoint } from '../../../host/host.js';
import { isObject } from '../../../model/json.js';
import { Refusal } from '../refusal.js';
import { documentOf, membersOf, type Route } from '../route.js';

const points: Readonly<Record<MessagePoint, string>> = {
  before_message:
    'Lets extensions look at a message before the agent gets it: they may change it, or stop it with a reason.',
  after_message: 'Tells extensions of a message that the agent gave; they change nothing.',
};

/** For the program around an agent, which alone knows what is said. */
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
      properties: { message: { type: 'object', description: 'what is said, such as {"text": "…"}' } },
    },
    answers: {
      200: {
        text: 'The message as extensions left it, or who stopped it and why.',
        schema: documentOf('toolwharf/message@1', {
          status: { enum: ['go', 'abort'] },
          message: { type: 'object' },
          changedBy: { type: 'array', items: { type: 'string' } },
          reason: { type: 'string' },
          by: { type: 'string' },
        }),
      },
    },
    answer: async ({ caller, body, signal }) => {
      const { message } = membersOf(body, ['message']);
      if (!isObject(message)) throw new Refusal(400, 'usage', '"message" must be an object');
      const { kind, ...told } = await (await caller.session()).message(point, message, signal);
      return { body: { schema: 'toolwharf/message@1', status: kind, ...told } };
    },
  }));
}
