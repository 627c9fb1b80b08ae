import type { Host } from '../../../host/host.js';
import { text } from '../../../host/operations/shape.js';
import { documents } from '../../documents/documents.js';
import { attentionOf } from '../../print/attention.js';
import { HttpError } from '../http-error.js';
import { documentSchema, type Route } from '../route.js';

/** Items that need an operator, like `toolwharf list --attention`. */
export function attentionRoutes(host: Host): readonly Route[] {
  const { rollbacks, outcomes, approvals, installRequests, kills, quarantine } = host;
  return [
    {
      method: 'GET',
      path: '/api/v1/attention',
      role: 'operator',
      summary:
        'List items that need an operator: rollbacks of the audit log, unknown outcomes, held calls, requests for packages, unfinished revocations, inactive settings, moved files, stopped and unavailable packages.',
      responses: {
        200: {
          description: 'The items, most urgent first.',
          schema: documents['attention@1'].shape.schema,
        },
      },
      handle: async ({ caller }) => {
        const session = await caller.session();
        const items = attentionOf({
          rollbacks: await rollbacks.list(),
          outcomes: await outcomes.unknown(),
          approvals: await approvals.list(['proposed']),
          installRequests: await installRequests.list(),
          installed: await session.installations.list(),
          kills: await kills.list(),
          waivers: await session.waivers(),
          moved: await quarantine.list(),
          packages: (await session.packages()).packages,
        });
        return { body: { schema: 'toolwharf/attention@1', items } };
      },
    },
    {
      method: 'POST',
      path: '/api/v1/attention/{call}/acknowledge',
      role: 'operator',
      summary: 'Acknowledge a call with an unknown outcome. The audit log keeps its entries.',
      responses: {
        200: {
          description: 'The call no longer needs attention.',
          schema: documentSchema('toolwharf/acknowledge@1', { call: text() }),
        },
        404: { description: 'No call with this id has an unknown outcome.' },
      },
      handle: async ({ caller, pathParams }) => {
        const call = pathParams.call as string;
        if (!(await outcomes.acknowledge(call, caller.principal)))
          throw new HttpError(
            404,
            'not_found',
            `no call ${JSON.stringify(call.slice(0, 80))} has an unknown outcome`,
            { hint: 'GET /api/v1/attention lists the calls with an unknown outcome' },
          );
        return { body: { schema: 'toolwharf/acknowledge@1', call } };
      },
    },
  ];
}
