import type { Action, HttpBody, HttpMethod } from '../../model/action.js';
import type { JsonObject, JsonSchema } from '../../model/json.js';
import type { Tool } from '../../model/tool.js';
import { parseBody } from './body.js';
import { backendOf, effectsOf } from './effect.js';
import { contentTypeOf, sendsInputAsBody } from './http-rules.js';
import { declaredInputs, schemaFromPlaceholders } from './inputs.js';
import {
  codeMode,
  defaultToolName,
  memberOf,
  objectOf,
  packageId,
  remoteUrl,
  stringOf,
  toolEntries,
} from './manifest-fields.js';
import { parsePlaceholders } from './placeholder.js';
import { codeProgram } from './program.js';
import { parseUrl } from './url.js';

/** The tools of a package. `hasNetwork`: the package can reach the network. */
export function toolsOf(manifest: JsonObject, hasNetwork: boolean): Tool[] {
  const declared = toolEntries(manifest).map(([, it]) => it);
  const tools = declared.length === 0 && codeMode(manifest) === 'wrap' ? [openTool(manifest)] : declared;
  const rules = objectOf(objectOf(manifest.guardrails).actions);
  const hasProgram = codeMode(manifest) !== 'none' || remoteUrl(manifest) !== undefined;
  return tools.map((tool) => {
    const name = tool.name as string;
    const { readOnlyOverridden: _, ...effects } = effectsOf(
      tool,
      objectOf(memberOf(rules, name)),
      backendOf(tool, hasProgram),
      hasNetwork,
    );
    const { action, names } = actionOf(manifest, tool);
    return {
      name,
      description: tool.description as string,
      input: inputOf(tool, names, action),
      ...(tool.output_schema === undefined ? {} : { output: tool.output_schema as JsonSchema }),
      ...effects,
      untrustedInputs: [],
      examples: [],
      action,
    };
  });
}

/** Code without declared tools becomes one tool that accepts any object. */
function openTool(manifest: JsonObject): JsonObject {
  return {
    name: defaultToolName,
    description: stringOf(manifest.description) ?? `Run ${manifest.name as string}.`,
    input_schema: { type: 'object', additionalProperties: true },
  };
}

/** MCP requires "type": "object". Without a schema, the inputs are the placeholders of the action. */
function inputOf(tool: JsonObject, names: readonly string[], action: Action | null): JsonSchema {
  const schema = memberOf(tool, 'input_schema') as JsonObject | undefined;
  if (schema !== undefined) return schema.type === undefined ? { type: 'object', ...schema } : schema;
  if (action?.kind === 'http' || action?.kind === 'prompt') return schemaFromPlaceholders(names);
  return { type: 'object', additionalProperties: true };
}

interface ActionInputs {
  readonly action: Action | null;
  /** Names of the action's placeholders. */
  readonly names: readonly string[];
}

function actionOf(manifest: JsonObject, tool: JsonObject): ActionInputs {
  const action = objectOf(tool.action);
  switch (stringOf(action.type)) {
    case 'http':
      return httpAction(tool, action);
    case 'prompt-template': {
      const { template, names } = parsePlaceholders(action.template as string);
      return { action: { kind: 'prompt', template }, names };
    }
    case 'compose': {
      const target = packageId(action.agent as string);
      return { action: { kind: 'compose', package: target, tool: action.tool as string }, names: [] };
    }
    default:
      return { action: programAction(manifest, tool), names: [] };
  }
}

function programAction(manifest: JsonObject, tool: JsonObject): Action | null {
  const name = tool.name as string;
  switch (codeMode(manifest)) {
    case 'wrap': {
      const exportName = stringOf(objectOf(manifest.entrypoint).export) ?? 'handler';
      return { kind: 'function', program: codeProgram, export: exportName, convention: 'envelope' };
    }
    case 'native':
      return { kind: 'upstream', program: codeProgram, tool: name };
    case 'none':
      return remoteUrl(manifest) === undefined ? null : { kind: 'upstream', program: 'remote', tool: name };
  }
}

function httpAction(tool: JsonObject, action: JsonObject): ActionInputs {
  const { target, names: urlNames } = parseUrl(action.url as string, 'url');
  if (target === undefined) return { action: null, names: [] };
  const headers = Object.entries(objectOf(action.headers)).map(([name, value]) => ({
    name,
    parsed: parsePlaceholders(value as string),
  }));
  const template = action.method === 'GET' ? undefined : action.body_template;
  const body = template === undefined ? undefined : parseBody(template, contentTypeOf(action));
  const usedNames = [...new Set([...urlNames, ...headers.flatMap((it) => it.parsed.names)])];
  const names = [...new Set([...usedNames, ...(body?.names ?? [])])];
  return {
    names,
    action: {
      kind: 'http',
      method: action.method as HttpMethod,
      url: { origin: target.origin, path: target.path, query: target.query },
      headers: headers.map(({ name, parsed }) => ({ name, value: parsed.template })),
      body: body?.body ?? (sendsInputAsBody(action) ? bodyFromUnused(tool, usedNames) : { kind: 'none' }),
      ...(action.auth_ref === undefined ? {} : { credential: action.auth_ref as string }),
      output: { format: tool.output_schema === undefined ? 'auto' : 'json', errorEnvelope: false },
    },
  };
}

/** A body with the inputs that the URL and headers do not use. */
function bodyFromUnused(tool: JsonObject, used: readonly string[]): HttpBody {
  const schema = memberOf(tool, 'input_schema');
  const declared = declaredInputs(schema);
  const rest =
    declared === undefined ? schema !== undefined : [...declared.names].some((it) => !used.includes(it));
  return rest ? { kind: 'input', except: used.map((it) => [it]) } : { kind: 'none' };
}
