import type { Kills } from '../../../host/host.js';
import { operatorOf } from '../operator.js';
import { documentOf, membersOf, type Route, textMember } from '../route.js';

const body = {
  type: 'object',
  required: ['target'],
  additionalProperties: false,
  properties: {
    target: { type: 'string', description: 'all, PACKAGE, PACKAGE/TOOL or principal:NAME' },
  },
};

/** The kill switch. No agent reaches it, neither to set nor to lift. */
export function killRoutes(kills: Kills): readonly Route[] {
  return [
    {
      method: 'GET',
      path: '/api/v1/kills',
      role: 'operator',
      summary: 'What is stopped, since when and by whom.',
      answers: {
        200: {
          text: 'The targets.',
          schema: documentOf('toolwharf/kills@1', { killed: { type: 'array', items: { type: 'object' } } }),
        },
      },
      answer: async () => ({
        body: {
          schema: 'toolwharf/kills@1',
          killed: (await kills.list()).map(({ target, at, by }) => ({
            target,
            since: new Date(at).toISOString(),
            by,
          })),
        },
      }),
    },
    {
      method: 'POST',
      path: '/api/v1/kills',
      role: 'operator',
      summary: 'Ends running calls and refuses new ones until it is lifted.',
      body,
      answers: {
        200: {
          text: 'It is stopped.',
          schema: documentOf('toolwharf/kill@1', {
            target: { type: 'string' },
            killed: { type: 'boolean' },
            changed: { type: 'boolean' },
          }),
        },
      },
      answer: async ({ caller, body: given }) => {
        const target = textMember(membersOf(given, ['target']), 'target');
        const done = await kills.set(target, caller.principal);
        return { body: { schema: 'toolwharf/kill@1', target, killed: true, ...done } };
      },
    },
    {
      method: 'POST',
      path: '/api/v1/kills/lift',
      role: 'operator',
      summary: 'Lets calls through again.',
      body,
      answers: {
        200: {
          text: 'It is not stopped any more.',
          schema: documentOf('toolwharf/kill@1', {
            target: { type: 'string' },
            killed: { type: 'boolean' },
            changed: { type: 'boolean' },
          }),
        },
      },
      answer: async (exchange) => {
        const target = textMember(membersOf(exchange.body, ['target']), 'target');
        const changed = await kills.lift(target, operatorOf(exchange));
        return { body: { schema: 'toolwharf/kill@1', target, killed: false, changed } };
      },
    },
  ];
}
