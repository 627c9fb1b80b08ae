import type { Action, HttpBody, HttpMethod } from '../../model/action.js';
import type { JsonObject, JsonSchema } from '../../model/json.js';
import type { Tool } from '../../model/tool.js';
import { readBody } from './body.js';
import { effectsOf, workerOf } from './effect.js';
import { contentType, sendsInput } from './http-rules.js';
import { declaredInputs, schemaOfHoles } from './inputs.js';
import { splitHoles } from './placeholder.js';
import { codeProgram } from './program.js';
import {
  codeMode,
  memberOf,
  objectOf,
  onlyTool,
  packageId,
  remoteUrl,
  textOf,
  toolEntries,
} from './shape.js';
import { readUrl } from './url.js';

/** The tools of a package. `reaches` says whether anything in it has network. */
export function toolsOf(manifest: JsonObject, reaches: boolean): Tool[] {
  const declared = toolEntries(manifest).map(([, it]) => it);
  const tools = declared.length === 0 && codeMode(manifest) === 'wrap' ? [openTool(manifest)] : declared;
  const rules = objectOf(objectOf(manifest.guardrails).actions);
  const hasProgram = codeMode(manifest) !== 'none' || remoteUrl(manifest) !== undefined;
  return tools.map((tool) => {
    const name = tool.name as string;
    const { readOnlyOverridden: _, ...effects } = effectsOf(
      tool,
      objectOf(memberOf(rules, name)),
      workerOf(tool, hasProgram),
      reaches,
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

/** Code that declares no tools is one tool that takes anything. */
function openTool(manifest: JsonObject): JsonObject {
  return {
    name: onlyTool,
    description: textOf(manifest.description) ?? `Run ${manifest.name as string}.`,
    input_schema: { type: 'object', additionalProperties: true },
  };
}

/** MCP wants the type said. A tool that describes no input takes what its holes name. */
function inputOf(tool: JsonObject, names: readonly string[], action: Action | null): JsonSchema {
  const schema = memberOf(tool, 'input_schema') as JsonObject | undefined;
  if (schema !== undefined) return schema.type === undefined ? { type: 'object', ...schema } : schema;
  if (action?.kind === 'http' || action?.kind === 'prompt') return schemaOfHoles(names);
  return { type: 'object', additionalProperties: true };
}

interface Bound {
  readonly action: Action | null;
  /** Inputs that the action's holes name. */
  readonly names: readonly string[];
}

function actionOf(manifest: JsonObject, tool: JsonObject): Bound {
  const action = objectOf(tool.action);
  switch (textOf(action.type)) {
    case 'http':
      return httpAction(tool, action);
    case 'prompt-template': {
      const { template, names } = splitHoles(action.template as string);
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
      const called = textOf(objectOf(manifest.entrypoint).export) ?? 'handler';
      return { kind: 'function', program: codeProgram, export: called, convention: 'envelope' };
    }
    case 'native':
      return { kind: 'upstream', program: codeProgram, tool: name };
    case 'none':
      return remoteUrl(manifest) === undefined ? null : { kind: 'upstream', program: 'remote', tool: name };
  }
}

function httpAction(tool: JsonObject, action: JsonObject): Bound {
  const { target, names: inUrl } = readUrl(action.url as string, 'url');
  if (target === undefined) return { action: null, names: [] };
  const headers = Object.entries(objectOf(action.headers)).map(([name, value]) => ({
    name,
    holed: splitHoles(value as string),
  }));
  const template = action.method === 'GET' ? undefined : action.body_template;
  const read = template === undefined ? undefined : readBody(template, contentType(action));
  const elsewhere = [...new Set([...inUrl, ...headers.flatMap((it) => it.holed.names)])];
  const names = [...new Set([...elsewhere, ...(read?.names ?? [])])];
  return {
    names,
    action: {
      kind: 'http',
      method: action.method as HttpMethod,
      url: { origin: target.origin, path: target.path, query: target.query },
      headers: headers.map(({ name, holed }) => ({ name, value: holed.template })),
      body: read?.body ?? (sendsInput(action) ? restOf(tool, elsewhere) : { kind: 'none' }),
      ...(action.auth_ref === undefined ? {} : { credential: action.auth_ref as string }),
      output: { format: tool.output_schema === undefined ? 'auto' : 'json', errorEnvelope: false },
    },
  };
}

/** The part of the input that nothing else in the request carries. */
function restOf(tool: JsonObject, used: readonly string[]): HttpBody {
  const schema = memberOf(tool, 'input_schema');
  const declared = declaredInputs(schema);
  const rest =
    declared === undefined ? schema !== undefined : [...declared.names].some((it) => !used.includes(it));
  return rest ? { kind: 'input', except: used.map((it) => [it]) } : { kind: 'none' };
}
