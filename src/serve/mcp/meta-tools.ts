import type { JsonObject } from '../../model/json.js';
import { callToolName, describeToolName, findToolName } from '../../model/tool-name.js';
import { wholeCharacters } from './parts.js';
import type { ToolCatalog } from './tool-catalog.js';
import { errorResult, type Shape, textResult, toolEntry } from './tools.js';

const usualLimit = 10;
const maxLimit = 50;
const maxQuery = 1000;
const maxDescription = 240;
const maxAnswer = 16_000;

/** A fixed list through which any number of tools can be used. */
export const metaTools: readonly JsonObject[] = [
  {
    name: findToolName,
    description:
      'Find tools by what they do. Answers with names and short descriptions, best match first. Describe a tool before calling it.',
    inputSchema: {
      type: 'object',
      properties: {
        query: { type: 'string', description: 'What the tool should do, in a few words.' },
        limit: { type: 'integer', minimum: 1, maximum: maxLimit, default: usualLimit },
      },
      required: ['query'],
      additionalProperties: false,
    },
    annotations: { title: 'Find tools', readOnlyHint: true, idempotentHint: true, openWorldHint: false },
  },
  {
    name: describeToolName,
    description: 'Show a tool in full: what it does, the schema of its arguments and of its answer.',
    inputSchema: {
      type: 'object',
      properties: { name: { type: 'string', description: 'A name from a search.' } },
      required: ['name'],
      additionalProperties: false,
    },
    annotations: { title: 'Describe a tool', readOnlyHint: true, idempotentHint: true, openWorldHint: false },
  },
  {
    name: callToolName,
    description: 'Call a tool by its name, with arguments that fit its schema.',
    inputSchema: {
      type: 'object',
      properties: {
        name: { type: 'string', description: 'A name from a search.' },
        arguments: { type: 'object', description: 'The arguments of that tool.' },
      },
      required: ['name'],
      additionalProperties: false,
    },
    annotations: { title: 'Call a tool', readOnlyHint: false, openWorldHint: true },
  },
];

/** Only what the caller may use is ever found. */
export async function findTools(catalog: ToolCatalog, given: JsonObject): Promise<JsonObject> {
  const { query, limit = usualLimit } = given;
  if (typeof query !== 'string' || query.trim() === '')
    return misused(`${findToolName} needs a query: what the tool should do`);
  if (typeof limit !== 'number' || !Number.isInteger(limit) || limit < 1 || limit > maxLimit)
    return misused(`the limit of ${findToolName} is a whole number from 1 to ${maxLimit}`);
  const found = (await catalog.index()).search(query.slice(0, maxQuery), limit);
  const tools: JsonObject[] = [];
  let size = 0;
  for (const { item } of found) {
    const { listed } = item;
    const { description } = listed.tool;
    const shown =
      description.length <= maxDescription
        ? description
        : `${wholeCharacters(description, maxDescription - 1)}…`;
    const entry = { name: listed.exposed, package: listed.name.split('/')[0] as string, description: shown };
    size += JSON.stringify(entry).length;
    if (size > maxAnswer) break;
    tools.push(entry);
  }
  const next =
    tools.length === 0
      ? 'Nothing fits. Try other words.'
      : `Describe one with ${describeToolName}, then call it with ${callToolName}.`;
  return textResult(JSON.stringify({ tools, next }));
}

export async function describeTool(
  catalog: ToolCatalog,
  given: JsonObject,
  shape: Shape,
): Promise<JsonObject> {
  const { name } = given;
  if (typeof name !== 'string') return misused(`${describeToolName} needs the name of a tool`);
  const listed = await catalog.find(name);
  if (listed === undefined)
    return misused(`there is no tool ${JSON.stringify(name)}; find one with ${findToolName}`);
  return textResult(JSON.stringify(toolEntry(listed, await catalog.sandboxOf(listed), shape)));
}

export function misused(message: string): JsonObject {
  return errorResult(message, { 'toolwharf/status': 'error', 'toolwharf/code': 'invalid_input' });
}
