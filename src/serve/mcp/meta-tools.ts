import type { JsonObject } from '../../model/json.js';
import { callToolName, describeToolName, findToolName, requestInstallName } from '../../model/tool-name.js';

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

/** With this tool an agent asks the operator for a package. It cannot install anything itself. */
export const requestInstallTool: JsonObject = {
  name: requestInstallName,
  description:
    'Ask the operator to install a package, if no tool here can do what is needed. Nothing is fetched or installed by this call: a person looks at the package and decides. Call it again later with the same source to learn the decision.',
  inputSchema: {
    type: 'object',
    properties: {
      source: {
        type: 'string',
        description:
          'Where the package comes from: npm:NAME@RANGE, pypi:NAME==VERSION, oci:IMAGE:TAG, git+https://HOST/REPOSITORY#REVISION, https://HOST/ARCHIVE#sha256=HASH, or a path.',
      },
      reason: { type: 'string', description: 'Why it is needed, in one or two sentences for the person.' },
    },
    required: ['source', 'reason'],
    additionalProperties: false,
  },
  annotations: {
    title: 'Ask for a package',
    readOnlyHint: false,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: false,
  },
};
