import type { Kills } from '../../../host/host.js';
import { operatorOf } from '../request-operator.js';
import { bodyMembers, documentSchema, type Route, textMember } from '../route.js';

const body = {
  type: 'object',
  required: ['target'],
  additionalProperties: false,
  properties: {
    target: { type: 'string', description: 'all, PACKAGE, PACKAGE/TOOL or principal:NAME' },
  },
};

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
          schema: documentSchema('toolwharf/kills@1', {
            killed: { type: 'array', items: { type: 'object' } },
          }),
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
      body,
      responses: {
        200: {
          description: 'The target is stopped.',
          schema: documentSchema('toolwharf/kill@1', {
            target: { type: 'string' },
            killed: { type: 'boolean' },
            changed: { type: 'boolean' },
          }),
        },
      },
      handle: async ({ caller, body: members }) => {
        const target = textMember(bodyMembers(members, ['target']), 'target');
        const outcome = await kills.set(target, caller.principal);
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
        200: {
          description: 'The target is no longer stopped.',
          schema: documentSchema('toolwharf/kill@1', {
            target: { type: 'string' },
            killed: { type: 'boolean' },
            changed: { type: 'boolean' },
          }),
        },
      },
      handle: async (exchange) => {
        const target = textMember(bodyMembers(exchange.body, ['target']), 'target');
        const changed = await kills.lift(target, operatorOf(exchange));
        return { body: { schema: 'toolwharf/kill@1', target, killed: false, changed } };
      },
    },
  ];
}
