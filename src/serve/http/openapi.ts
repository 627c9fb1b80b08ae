import type { Json, JsonObject } from '../../model/json.js';
import type { Route } from './route.js';

const problem: JsonObject = {
  description: 'The request was rejected, denied, or failed.',
  content: { 'application/json': { schema: { $ref: '#/components/schemas/Problem' } } },
};

/** OpenAPI 3.1 description, generated from the same route table that handles requests. */
export function openApi(routes: readonly Route[], version: string): JsonObject {
  const paths: Record<string, Record<string, Json>> = {};
  for (const route of routes) {
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operation(route) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Toolwharf',
      version,
      summary: 'Runs tools of several packages. Each package runs in its own sandbox.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    paths,
    components: {
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
      schemas: {
        Problem: {
          type: 'object',
          required: ['error'],
          properties: {
            error: {
              type: 'object',
              required: ['code', 'message'],
              properties: {
                code: { type: 'string' },
                message: { type: 'string' },
                hint: { type: 'string' },
              },
            },
          },
        },
      },
    },
  };
}

function operation(route: Route): JsonObject {
  const names = [...route.path.matchAll(/\{(\w+)\}/g)].map((it) => it[1] as string);
  const schema = { type: 'string' };
  const parameters: JsonObject[] = [
    ...names.map((name) => ({ name, in: 'path', required: true, schema })),
    ...Object.entries(route.query ?? {}).map(([name, description]) => ({
      name,
      in: 'query',
      description,
      schema,
    })),
  ];
  const responses = Object.entries(route.responses).map(([status, { description, type, schema: shape }]) => [
    status,
    {
      description,
      ...(type === undefined && shape === undefined
        ? {}
        : { content: { [type ?? 'application/json']: { schema: shape ?? { type: 'string' } } } }),
    },
  ]);
  return {
    operationId: operationId(route),
    summary: route.summary,
    security: route.role === 'public' ? [] : [{ token: [] }],
    ...(route.role === 'operator' ? { description: 'Requires a token with the role operator.' } : {}),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(route.body === undefined
      ? {}
      : {
          requestBody: {
            required: route.optionalBody !== true,
            content: { 'application/json': { schema: route.body } },
          },
        }),
    responses: { ...Object.fromEntries(responses), default: problem },
  };
}

function operationId({ method, path }: Route): string {
  const segments = path.split('/').flatMap((it) => it.replace(/^v1$|^api$/, '').match(/[a-z]+/g) ?? []);
  return [method.toLowerCase(), ...segments].join('_');
}
