import type { Action, HttpBody, HttpMethod, OutputReader } from '../../model/action.js';
import { dialectOf, embeddedSchema } from '../../model/embedded-schema.js';
import { isObject, type JsonObject } from '../../model/json.js';
import type { PermissionScope } from '../../model/permissions.js';
import type { Template } from '../../model/template.js';
import type { Effect, Tool, ToolExample } from '../../model/tool.js';
import { emptyInputSchema } from './action-rules.js';
import { closeSchema } from './closed-schema.js';
import { declaredMembers } from './input-schema.js';
import { lowerAccess } from './permissions.js';
import { commandProgram, serverProgram } from './programs.js';
import { isManagedHeader } from './request-rules.js';
import { parseTemplate } from './template.js';
import { urlTemplate } from './url-template.js';

export interface ToolContext {
  readonly endpoint: URL | undefined;
  /** Whether the package can reach the network. */
  readonly hasNetwork: boolean;
  readonly scopes: readonly PermissionScope[];
}

export function lowerTool(action: JsonObject, context: ToolContext): Tool {
  const effect = action.side_effects as Effect;
  const idempotent = action.idempotent === true;
  const output = isObject(action.output) ? action.output : {};
  const scopes = action.scopes_used as readonly string[] | undefined;
  return {
    name: action.name as string,
    description: describe(action),
    input: closeSchema(isObject(action.input) ? action.input : emptyInputSchema),
    ...outputSchemaOf(output),
    annotations: {
      readOnlyHint: effect === 'none' || effect === 'read',
      destructiveHint: effect === 'destructive',
      idempotentHint: idempotent,
      openWorldHint: context.hasNetwork,
    },
    effect,
    effectDeclared: true,
    idempotent,
    ...(idempotent ? { idempotentDeclared: true } : {}),
    untrustedInputs: [],
    approval: effect === 'destructive' ? 'human' : 'none',
    ...(scopes === undefined
      ? {}
      : {
          scopes: scopes.filter((it) => context.scopes.some(({ resource }) => resource === it)),
          access: lowerAccess(context.scopes, scopes, context.endpoint),
        }),
    examples: ((action.examples ?? []) as readonly JsonObject[]).map(lowerExample),
    action: lowerAction(action, context),
  };
}

function describe({ summary, description }: JsonObject): string {
  return typeof description === 'string' && description !== ''
    ? `${summary as string}\n\n${description}`
    : (summary as string);
}

/** The schema of a stream is about one record; the answer is the list of all records. */
function outputSchemaOf({ format, schema }: JsonObject): Pick<Tool, 'output'> {
  if (!isObject(schema)) return {};
  if (format === 'json') return { output: schema };
  if (format !== 'ndjson-stream') return {};
  return { output: { ...dialectOf(schema), type: 'array', items: embeddedSchema(schema, '/items') } };
}

function lowerExample({ description, input, output }: JsonObject): ToolExample {
  return {
    description: description as string,
    ...(input === undefined ? {} : { input }),
    ...(output === undefined ? {} : { output }),
  };
}

function lowerAction(action: JsonObject, { endpoint }: ToolContext): Action {
  const invocation = action.invocation as JsonObject;
  const output = readerOf(action);
  switch (invocation.kind as 'subcommand' | 'stdin-json' | 'http' | 'mcp-tool') {
    case 'subcommand':
    case 'stdin-json':
      return {
        kind: 'exec',
        program: commandProgram,
        arguments: templates((invocation.argv_template ?? []) as readonly string[]),
        stdin: invocation.kind === 'stdin-json' ? 'json' : 'none',
        output,
      };
    case 'http': {
      const headers = Object.entries((invocation.headers ?? {}) as Record<string, string>);
      const path = parseTemplate(invocation.path as string).template;
      return {
        kind: 'http',
        method: invocation.method as HttpMethod,
        url: urlTemplate(endpoint as URL, path),
        headers: headers
          .filter(([name]) => !isManagedHeader(name))
          .map(([name, value]) => ({ name, value: parseTemplate(value).template })),
        body: bodyOf(action, invocation.method as HttpMethod, path),
        output,
      };
    }
    case 'mcp-tool':
      return { kind: 'upstream', program: serverProgram, tool: invocation.tool_name as string };
  }
}

function templates(argv: readonly string[]): Template[] {
  return argv.map((it) => parseTemplate(it).template);
}

function readerOf(action: JsonObject): OutputReader {
  const format = isObject(action.output) ? (action.output.format as string) : 'text';
  return {
    format: format === 'ndjson-stream' ? 'records' : (format as 'json' | 'text' | 'binary' | 'none'),
    errorEnvelope: action.error_envelope === 'standard',
  };
}

function bodyOf(action: JsonObject, method: HttpMethod, path: Template): HttpBody {
  const except = path.parts.flatMap((it) => (it.kind === 'input' ? [it.path] : []));
  const inPath = new Set(except.map((it) => it[0]));
  const left = isObject(action.input) && declaredMembers(action.input).some((it) => !inPath.has(it));
  if (method === 'GET' || (method === 'DELETE' && !left)) return { kind: 'none' };
  return { kind: 'input', except };
}
