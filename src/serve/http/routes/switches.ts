import type { Switches } from '../../../host/host.js';
import { operatorOf } from '../operator.js';
import { Refusal } from '../refusal.js';
import { documentOf, membersOf, type Route } from '../route.js';

/** Packages that are switched off stay listed and are never run. */
export function switchRoutes(switches: Switches): readonly Route[] {
  return [
    {
      method: 'GET',
      path: '/api/v1/switches',
      role: 'operator',
      summary: 'Packages that are switched off.',
      answers: {
        200: {
          text: 'Their ids.',
          schema: documentOf('toolwharf/switches@1', {
            disabled: { type: 'array', items: { type: 'string' } },
          }),
        },
      },
      answer: async () => ({
        body: { schema: 'toolwharf/switches@1', disabled: await switches.disabled() },
      }),
    },
    {
      method: 'PUT',
      path: '/api/v1/switches/{package}',
      role: 'operator',
      summary: 'Switches a package on or off.',
      body: {
        type: 'object',
        required: ['enabled'],
        additionalProperties: false,
        properties: { enabled: { type: 'boolean' } },
      },
      answers: {
        200: {
          text: 'How it stands now.',
          schema: documentOf('toolwharf/switch@1', {
            package: { type: 'string' },
            enabled: { type: 'boolean' },
            changed: { type: 'boolean' },
          }),
        },
      },
      answer: async (exchange) => {
        const { parts, body } = exchange;
        const { enabled } = membersOf(body, ['enabled']);
        if (typeof enabled !== 'boolean') throw new Refusal(400, 'usage', 'enabled must be true or false');
        const id = parts.package as string;
        if (/[\s/]/.test(id)) throw new Refusal(400, 'usage', 'packages are switched as a whole');
        const changed = await switches.set(id, enabled, operatorOf(exchange));
        return { body: { schema: 'toolwharf/switch@1', package: id, enabled, changed } };
      },
    },
  ];
}
