import type { Kills } from '../../../host/host.js';
import { boolean, integer, object, optional, text } from '../../../host/operations/shape.js';
import { documents } from '../../documents/documents.js';
import { operatorOf } from '../request-operator.js';
import { bodyOf, documentSchema, type Route } from '../route.js';

const targetBody = object({ target: text('all, PACKAGE, PACKAGE/TOOL or principal:NAME') });
const { schema: body } = targetBody;
const stopBody = object({
  target: text('all, PACKAGE, PACKAGE/TOOL or principal:NAME'),
  force: optional(boolean('Also stop a target that the host has never seen. Default: false.')),
});
const unknownTarget = { description: 'The host has never seen this target; the hint has similar names.' };
const changeMembers = { target: text(), killed: boolean(), changed: boolean('False if nothing changed.') };

/** The kill switch. Agents can neither set nor lift it. */
export function killRoutes(kills: Kills): readonly Route[] {
  return [
    {
      method: 'GET',
      path: '/api/v1/kills',
      role: 'operator',
      summary: 'List stopped targets, with time and operator.',
      responses: {
        200: {
          description: 'The stopped targets.',
          schema: documents['kills@1'].shape.schema,
        },
      },
      handle: async () => ({
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
      summary: 'Stop a target: end its running calls and deny new ones until the stop is lifted.',
      body: stopBody.schema,
      responses: {
        404: unknownTarget,
        200: {
          description: 'The target is stopped.',
          schema: documentSchema('toolwharf/kill@1', {
            ...changeMembers,
            ended: integer('Running calls that were ended.'),
            voided: integer('Held calls that were voided.'),
          }),
        },
      },
      handle: async ({ caller, body: members }) => {
        const { target, force } = bodyOf(stopBody, members);
        const outcome = await kills.set(target, caller.principal, force);
        return { body: { schema: 'toolwharf/kill@1', target, killed: true, ...outcome } };
      },
    },
    {
      method: 'POST',
      path: '/api/v1/kills/lift',
      role: 'operator',
      summary: 'Lift a stop: allow calls of the target again.',
      body,
      responses: {
        404: unknownTarget,
        200: {
          description: 'The target is no longer stopped.',
          schema: documentSchema('toolwharf/kill@1', changeMembers),
        },
      },
      handle: async (exchange) => {
        const { target } = bodyOf(targetBody, exchange.body);
        const changed = await kills.lift(target, operatorOf(exchange));
        return { body: { schema: 'toolwharf/kill@1', target, killed: false, changed } };
      },
    },
  ];
}
