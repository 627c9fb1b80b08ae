import type { JsonObject } from '../../model/json.js';
import { callToolName, describeToolName, findToolName, requestInstallName } from '../../model/tool-name.js';
import { type ResultShape, takeCharacters } from './content-parts.js';
import { defaultSearchLimit, maxSearchLimit } from './meta-tools.js';
import type { ToolCatalog } from './tool-catalog.js';
import { errorResult, textResult, toolEntry } from './tool-mapping.js';

/** In characters, like the other lengths. */
const maxQuery = 1000;
const maxDescription = 240;
const maxAnswer = 16_000;

/** Searches only the tools that the caller may use. */
export async function findTools(catalog: ToolCatalog, args: JsonObject): Promise<JsonObject> {
  const { query, limit = defaultSearchLimit } = args;
  if (typeof query !== 'string' || query.trim() === '')
    return invalidUse(`${findToolName} needs "query": what the tool should do`);
  if (typeof limit !== 'number' || !Number.isInteger(limit) || limit < 1 || limit > maxSearchLimit)
    return invalidUse(`the limit of ${findToolName} must be an integer from 1 to ${maxSearchLimit}`);
  const found = (await catalog.index()).search(query.slice(0, maxQuery), limit);
  const tools: JsonObject[] = [];
  let size = 0;
  for (const { item } of found) {
    const { listed } = item;
    const { description } = listed.tool;
    const shown =
      description.length <= maxDescription
        ? description
        : `${takeCharacters(description, maxDescription - 1)}…`;
    const entry = { name: listed.exposed, package: listed.name.split('/')[0] as string, description: shown };
    size += JSON.stringify(entry).length;
    if (size > maxAnswer) break;
    tools.push(entry);
  }
  const next =
    tools.length === 0
      ? `No tool matches. Try other search words${(await catalog.offersRequests()) ? `, or ask for a package with ${requestInstallName}` : ''}.`
      : `Read the definition of a tool with ${describeToolName}, then call it with ${callToolName}.`;
  return textResult(JSON.stringify({ tools, next }));
}

export async function describeTool(
  catalog: ToolCatalog,
  args: JsonObject,
  shape: ResultShape,
): Promise<JsonObject> {
  const { name } = args;
  if (typeof name !== 'string') return invalidUse(`${describeToolName} needs "name": the name of a tool`);
  const listed = await catalog.findForModel(name);
  if (listed === undefined)
    return invalidUse(`there is no tool ${JSON.stringify(name)}; search for tools with ${findToolName}`);
  return textResult(JSON.stringify(toolEntry(listed, await catalog.sandboxOf(listed), shape)));
}

/** The result for wrong arguments of a meta-tool. */
export function invalidUse(message: string): JsonObject {
  return errorResult(message, { 'toolwharf/status': 'error', 'toolwharf/code': 'invalid_input' });
}
