import type { Switches } from '../../../host/host.js';
import { arrayOf, boolean, object, text } from '../../../host/operations/shape.js';
import { documents } from '../../documents/documents.js';
import { HttpError } from '../http-error.js';
import { operatorOf } from '../request-operator.js';
import { bodyOf, documentSchema, type Route } from '../route.js';

const switchBody = object({ enabled: boolean() });

/** Enables and disables packages. A disabled package stays listed, but its tools cannot be called. */
export function switchRoutes(switches: Switches): readonly Route[] {
  return [
    {
      method: 'GET',
      path: '/api/v1/switches',
      role: 'operator',
      summary: 'List disabled packages.',
      responses: {
        200: {
          description: 'The ids of the disabled packages.',
          schema: documentSchema('toolwharf/switches@1', {
            disabled: arrayOf(text()),
          }),
        },
      },
      handle: async () => ({
        body: { schema: 'toolwharf/switches@1', disabled: await switches.disabled() },
      }),
    },
    {
      method: 'PUT',
      path: '/api/v1/switches/{package}',
      role: 'operator',
      summary: 'Enable or disable a package.',
      body: switchBody.schema,
      responses: {
        200: {
          description: 'The new state of the package.',
          schema: documents['switch@1'].shape.schema,
        },
      },
      handle: async (exchange) => {
        const { pathParams, body } = exchange;
        const { enabled } = bodyOf(switchBody, body);
        const id = pathParams.package as string;
        if (/[\s/]/.test(id))
          throw new HttpError(400, 'usage', 'only whole packages can be enabled or disabled');
        const changed = await switches.set(id, enabled, operatorOf(exchange));
        return { body: { schema: 'toolwharf/switch@1', package: id, enabled, changed } };
      },
    },
  ];
}
