import type { Host } from '../../../host/host.js';
import { operations } from '../../../host/operations/operations.js';
import { performOperation } from '../../../host/operations/perform.js';
import { exactly, object } from '../../../host/operations/shape.js';
import { isObject, type Json } from '../../../model/json.js';
import { HttpError } from '../http-error.js';
import { operatorOf } from '../request-operator.js';
import type { Route } from '../route.js';

/** Every operation of the table under its own name, for programs. The other routes are for people with curl. */
export function operationRoutes(host: Host): readonly Route[] {
  return operations.map((operation): Route => {
    const { name, summary, role, pin, progress = false, input, result } = operation;
    return {
      method: 'POST',
      path: `/api/v1/operations/${name}`,
      role,
      summary: pin === 'if-set' ? `${summary} If a PIN is set, send it or a sign-in.` : summary,
      body: input.schema,
      progress,
      optionalBody: input.schema.required === undefined,
      responses: {
        200: {
          description: 'The result of the operation.',
          schema: object({ schema: exactly('toolwharf/operation@1'), result }).schema,
        },
      },
      handle: async (exchange) => {
        const { body = {}, caller, signal, onProgress } = exchange;
        if (!isObject(body)) throw new HttpError(400, 'usage', 'the body must be a JSON object');
        const target = operation.scope === 'session' ? await caller.session() : host;
        const by = operatorOf(exchange);
        const done = await performOperation(target, operation, body, { by, signal, onProgress });
        return { body: { schema: 'toolwharf/operation@1', result: (done ?? null) as Json } };
      },
    };
  });
}
