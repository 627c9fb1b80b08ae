import type { JsonObject } from '../../model/json.js';
import { callToolName, describeToolName, findToolName } from '../../model/tool-name.js';

export const defaultSearchLimit = 10;
export const maxSearchLimit = 50;

/** A short, fixed list of tools that gives access to any number of tools. */
export const metaTools: readonly JsonObject[] = [
  {
    name: findToolName,
    description: `Find tools by what they do. Returns names and short descriptions, best match first. Before you call a tool, read its definition with ${describeToolName}.`,
    inputSchema: {
      type: 'object',
      properties: {
        query: {
          type: 'string',
          description: 'What the tool should do, in a few words. Example: "send an email".',
        },
        limit: { type: 'integer', minimum: 1, maximum: maxSearchLimit, default: defaultSearchLimit },
      },
      required: ['query'],
      additionalProperties: false,
    },
    annotations: { title: 'Find tools', readOnlyHint: true, idempotentHint: true, openWorldHint: false },
  },
  {
    name: describeToolName,
    description: 'Get the full definition of a tool: its description, input schema and output schema.',
    inputSchema: {
      type: 'object',
      properties: { name: { type: 'string', description: `A tool name that ${findToolName} returned.` } },
      required: ['name'],
      additionalProperties: false,
    },
    annotations: { title: 'Describe a tool', readOnlyHint: true, idempotentHint: true, openWorldHint: false },
  },
  {
    name: callToolName,
    description: `Call a tool by name. The arguments must match its input schema; get the schema with ${describeToolName}.`,
    inputSchema: {
      type: 'object',
      properties: {
        name: { type: 'string', description: `A tool name that ${findToolName} returned.` },
        arguments: { type: 'object', description: 'The arguments for that tool.' },
      },
      required: ['name'],
      additionalProperties: false,
    },
    annotations: { title: 'Call a tool', readOnlyHint: false, openWorldHint: true },
  },
];
