// What the answers of the official MCP registry look like (server.json of 2025-12-11), in our own words.
import type { JsonObject } from '../../src/model/json.js';

const text = (maxLength: number) => ({ type: 'string', minLength: 1, maxLength });
const url = { type: 'string', pattern: '^(https?://[^\\s]+|\\{[A-Za-z_]\\w*\\}[^\\s]*)$' };
const input = {
  type: 'object',
  properties: {
    description: { type: 'string' },
    isRequired: { type: 'boolean' },
    isSecret: { type: 'boolean' },
    format: { enum: ['string', 'number', 'boolean', 'filepath'] },
    value: { type: 'string' },
    default: { type: 'string' },
    placeholder: { type: 'string' },
    choices: { type: 'array', items: { type: 'string' } },
  },
};
const named = { ...input, required: ['name'], properties: { ...input.properties, name: { type: 'string' } } };
const remote = {
  type: 'object',
  required: ['type', 'url'],
  properties: { type: { enum: ['streamable-http', 'sse'] }, url, headers: { type: 'array', items: named } },
};
const argument = {
  anyOf: [
    {
      ...input,
      required: ['type'],
      properties: { ...input.properties, type: { const: 'positional' }, valueHint: { type: 'string' } },
      anyOf: [{ required: ['value'] }, { required: ['valueHint'] }],
    },
    { ...named, required: ['type', 'name'], properties: { ...named.properties, type: { const: 'named' } } },
  ],
};
const installable = {
  type: 'object',
  required: ['registryType', 'identifier', 'transport'],
  properties: {
    registryType: { type: 'string' },
    identifier: { type: 'string' },
    version: { ...text(255), not: { const: 'latest' } },
    fileSha256: { type: 'string', pattern: '^[a-f0-9]{64}$' },
    transport: {
      anyOf: [{ type: 'object', required: ['type'], properties: { type: { const: 'stdio' } } }, remote],
    },
    packageArguments: { type: 'array', items: argument },
    environmentVariables: { type: 'array', items: named },
  },
};
const server = {
  type: 'object',
  required: ['name', 'description', 'version'],
  properties: {
    $schema: { const: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json' },
    name: { type: 'string', minLength: 3, maxLength: 200, pattern: '^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$' },
    description: text(100),
    title: text(100),
    version: text(255),
    websiteUrl: { type: 'string' },
    packages: { type: 'array', items: installable },
    remotes: { type: 'array', items: remote },
    _meta: {
      type: 'object',
      properties: { 'io.modelcontextprotocol.registry/publisher-provided': { type: 'object' } },
    },
  },
};
const time = { type: 'string', pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d+)?Z$' };

/** One version of a server. */
export const serverResponseSchema: JsonObject = {
  type: 'object',
  required: ['server', '_meta'],
  properties: {
    server,
    _meta: {
      type: 'object',
      required: ['io.modelcontextprotocol.registry/official'],
      properties: {
        'io.modelcontextprotocol.registry/official': {
          type: 'object',
          required: ['status', 'publishedAt', 'updatedAt', 'isLatest'],
          properties: {
            status: { enum: ['active', 'deprecated', 'deleted'] },
            publishedAt: time,
            updatedAt: time,
            isLatest: { type: 'boolean' },
          },
          additionalProperties: false,
        },
      },
    },
  },
} as unknown as JsonObject;

/** A list of servers, or of the versions of one. */
export const serverListSchema: JsonObject = {
  type: 'object',
  required: ['servers'],
  properties: {
    servers: { type: 'array', items: serverResponseSchema },
    metadata: {
      type: 'object',
      properties: { nextCursor: { type: 'string', minLength: 1 }, count: { type: 'integer', minimum: 0 } },
    },
  },
};
