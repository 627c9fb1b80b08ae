import type { Host } from '../../../host/host.js';
import { attentionOf } from '../../print/attention.js';
import { Refusal } from '../refusal.js';
import { documentOf, type Route } from '../route.js';

/** What waits for a person, as `toolwharf list --attention` has it. */
export function attentionRoutes({ outcomes, approvals, kills }: Host): readonly Route[] {
  return [
    {
      method: 'GET',
      path: '/api/v1/attention',
      role: 'operator',
      summary: 'What waits for a person: unknown outcomes, held calls, stopped and unready packages.',
      answers: {
        200: {
          text: 'The items, what may have gone wrong first.',
          schema: documentOf('toolwharf/attention@1', {
            items: { type: 'array', items: { type: 'object' } },
          }),
        },
      },
      answer: async ({ caller }) => {
        const items = attentionOf({
          outcomes: await outcomes.unknown(),
          approvals: await approvals.list(['proposed']),
          kills: await kills.list(),
          packages: (await (await caller.session()).packages()).packages,
        });
        return { body: { schema: 'toolwharf/attention@1', items } };
      },
    },
    {
      method: 'POST',
      path: '/api/v1/attention/{call}/acknowledge',
      role: 'operator',
      summary: 'Somebody knows what became of a call whose outcome is unknown. The record keeps that it was.',
      answers: {
        200: {
          text: 'It waits for nobody any more.',
          schema: documentOf('toolwharf/acknowledge@1', { call: { type: 'string' } }),
        },
        404: { text: 'No such call has an unknown outcome.' },
      },
      answer: async ({ caller, parts }) => {
        const call = parts.call as string;
        if (!(await outcomes.acknowledge(call, caller.principal)))
          throw new Refusal(
            404,
            'not_found',
            `no call ${JSON.stringify(call.slice(0, 80))} has an unknown outcome`,
            { hint: 'GET /api/v1/attention lists those that do' },
          );
        return { body: { schema: 'toolwharf/acknowledge@1', call } };
      },
    },
  ];
}
