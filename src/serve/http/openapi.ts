import type { Json, JsonObject } from '../../model/json.js';
import type { Route } from './route.js';

const problem: JsonObject = {
  description: 'Refused or failed.',
  content: { 'application/json': { schema: { $ref: '#/components/schemas/Problem' } } },
};

/** OpenAPI 3.1 of a table of routes: what is described is what is served. */
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
      summary: 'Tools of several packages, each confined to what it declares.',
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
  const answers = Object.entries(route.answers).map(([status, { text, type, schema: shape }]) => [
    status,
    {
      description: text,
      ...(type === undefined && shape === undefined
        ? {}
        : { content: { [type ?? 'application/json']: { schema: shape ?? { type: 'string' } } } }),
    },
  ]);
  return {
    operationId: operationId(route),
    summary: route.summary,
    security: route.role === 'anybody' ? [] : [{ token: [] }],
    ...(route.role === 'operator' ? { description: 'Needs a token of the role operator.' } : {}),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(route.body === undefined
      ? {}
      : { requestBody: { required: true, content: { 'application/json': { schema: route.body } } } }),
    responses: { ...Object.fromEntries(answers), default: problem },
  };
}

function operationId({ method, path }: Route): string {
  const words = path.split('/').flatMap((it) => it.replace(/^v1$|^api$/, '').match(/[a-z]+/g) ?? []);
  return [method.toLowerCase(), ...words].join('_');
}
