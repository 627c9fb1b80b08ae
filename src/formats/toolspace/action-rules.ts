import { isObject, type Json, type JsonObject, type JsonPath } from '../../model/json.js';
import { pathName, show } from '../check.js';
import { checkInnerSchema } from '../inner-schema.js';
import { suggest } from '../suggest.js';
import { uniqueNames } from '../unique-names.js';
import type { ToolspaceReport } from './codes.js';
import { type DeclaredVariables, readVariables } from './env-rules.js';
import { declaredMembers } from './input-schema.js';
import { checkHeaders, checkRequestPath } from './request-rules.js';
import { findMismatch } from './schema-mismatch.js';
import { checkTokens, inputSchemaOf } from './token-rules.js';

export function checkActions(report: ToolspaceReport, manifest: JsonObject): void {
  const actions = Array.isArray(manifest.actions) ? manifest.actions : [];
  const variables = readVariables(manifest);
  const resources = resourcesOf(manifest.scopes);
  const kind = isObject(manifest.runtime) ? manifest.runtime.kind : undefined;
  const checkName = uniqueNames(report, {
    code: 'toolspace.duplicate-action',
    member: 'name',
    hint: 'give each action its own name',
  });
  for (const [index, action] of actions.entries()) {
    if (!isObject(action)) continue;
    const path = ['actions', index];
    const { name } = action;
    if (typeof name === 'string') checkName(path, name);
    checkInvocation(report, action, path, variables, kind);
    checkSchemas(report, action, path);
    checkExamples(report, action, path);
    checkScopes(report, action.scopes_used, [...path, 'scopes_used'], resources);
  }
}

const tokenErrors: readonly string[] = ['toolspace.malformed-token', 'toolspace.unknown-input'];

function checkInvocation(
  report: ToolspaceReport,
  action: JsonObject,
  path: JsonPath,
  variables: DeclaredVariables,
  runtimeKind: Json | undefined,
): void {
  const { invocation } = action;
  if (!isObject(invocation)) return;
  const at = [...path, 'invocation'];
  const scope = { variables, input: inputSchemaOf(action), dialect: 'action' } as const;
  const named: (readonly string[])[] = [];
  const before = report.diagnostics.length;
  // A mistyped token was probably meant to name an input, so unused inputs are not reported then.
  const hasTokenError = () => report.diagnostics.slice(before).some((it) => tokenErrors.includes(it.code));
  switch (invocation.kind) {
    case 'subcommand':
    case 'stdin-json': {
      if (!Array.isArray(invocation.argv_template)) break;
      for (const [index, argument] of invocation.argv_template.entries())
        named.push(...checkTokens(report, argument, [...at, 'argv_template', index], 'argv', scope));
      if (invocation.kind === 'subcommand' && !hasTokenError())
        checkUnused(report, action, path, named, 'no argument uses it, and a subcommand has no stdin');
      break;
    }
    case 'http':
      checkRequestPath(report, invocation.path, [...at, 'path']);
      named.push(...checkTokens(report, invocation.path, [...at, 'path'], 'path', scope));
      checkHeaders(report, invocation.headers, [...at, 'headers']);
      for (const [header, value] of Object.entries(isObject(invocation.headers) ? invocation.headers : {}))
        named.push(...checkTokens(report, value, [...at, 'headers', header], 'header', scope));
      if (invocation.method === 'GET' && typeof invocation.path === 'string' && !hasTokenError())
        checkUnused(report, action, path, named, 'neither path nor headers use it, and GET has no body');
      break;
    case 'mcp-tool':
      if (typeof runtimeKind === 'string' && !runtimeKind.startsWith('mcp-')) {
        const message = `${pathName(path)} calls a tool of an MCP server, but runtime.kind ${show(runtimeKind)} is not an MCP server`;
        report.at('toolspace.mcp-action', [...at, 'kind'], message, {
          hint: 'use subcommand, stdin-json or http, or set runtime.kind to mcp-stdio or mcp-http',
        });
      }
      break;
  }
}

/** Reports declared inputs that the action never uses. */
function checkUnused(
  report: ToolspaceReport,
  action: JsonObject,
  path: JsonPath,
  named: readonly (readonly string[])[],
  reason: string,
): void {
  const schema = inputSchemaOf(action);
  if (schema === undefined) return;
  const used = new Set(named.map((it) => it[0]));
  for (const member of new Set(declaredMembers(schema))) {
    if (used.has(member)) continue;
    const place = [...path, 'input', 'properties', member];
    report.at('toolspace.input-unused', place, `the input ${show(member)} is not used: ${reason}`, {
      hint: `use \${input.${member}}, or remove it`,
      spot: 'key',
    });
  }
}

function checkSchemas(report: ToolspaceReport, action: JsonObject, path: JsonPath): void {
  const { input, output } = action;
  if (isObject(input)) {
    checkInnerSchema(report, input, [...path, 'input']);
    if (typeof input.type === 'string' ? input.type !== 'object' : input.type !== undefined) {
      const message = `${pathName(path)}.input has type ${show(input.type)}; the input of an action must be an object`;
      report.at('toolspace.input-not-object', [...path, 'input', 'type'], message, {
        hint: 'write "type": "object" and describe each input under "properties"',
      });
    }
  }
  if (!isObject(output) || !isObject(output.schema)) return;
  checkInnerSchema(report, output.schema, [...path, 'output', 'schema']);
  if (['text', 'binary', 'none'].includes(String(output.format))) {
    const message = `${pathName(path)}.output has a schema, but output of format ${show(output.format)} is not validated`;
    report.at('toolspace.output-schema-unused', [...path, 'output', 'schema'], message, {
      hint: 'use format json or ndjson-stream, or remove the schema',
      spot: 'key',
    });
  }
}

function checkExamples(report: ToolspaceReport, action: JsonObject, path: JsonPath): void {
  const examples = Array.isArray(action.examples) ? action.examples : [];
  const output = isObject(action.output) && isObject(action.output.schema) ? action.output.schema : undefined;
  for (const [index, example] of examples.entries()) {
    if (!isObject(example)) continue;
    const at = [...path, 'examples', index];
    if (example.input !== undefined)
      checkExample(report, inputSchemaOf(action) ?? emptyInputSchema, example.input, [...at, 'input'], true);
    if (example.output !== undefined && output !== undefined && !isStream(action.output))
      checkExample(report, output, example.output, [...at, 'output'], false);
  }
}

/** An action without a schema accepts only an empty object. */
export const emptyInputSchema: JsonObject = { type: 'object', properties: {}, additionalProperties: false };

/** The schema of a stream describes one record; an example may contain several. */
function isStream(output: Json | undefined): boolean {
  return isObject(output) && output.format === 'ndjson-stream';
}

function checkExample(
  report: ToolspaceReport,
  schema: JsonObject,
  value: Json,
  path: JsonPath,
  closed: boolean,
): void {
  const mismatch = findMismatch(schema, value, closed);
  if (mismatch === undefined) return;
  const message = `${pathName(path)} does not match the schema: ${mismatch.reason}`;
  report.at('toolspace.example-mismatch', [...path, ...mismatch.path], message, {
    hint: 'fix the example, or fix the schema if the example is correct',
  });
}

function resourcesOf(scopes: Json | undefined): readonly string[] {
  const entries = Array.isArray(scopes) ? scopes : [];
  return entries.flatMap((it) => (isObject(it) && typeof it.resource === 'string' ? [it.resource] : []));
}

function checkScopes(
  report: ToolspaceReport,
  used: Json | undefined,
  path: JsonPath,
  resources: readonly string[],
): void {
  for (const [index, resource] of (Array.isArray(used) ? used : []).entries()) {
    if (typeof resource !== 'string' || resources.includes(resource)) continue;
    const meant = suggest(resource, resources);
    const hint = meant === undefined ? 'declare it in scopes' : `did you mean ${show(meant)}?`;
    const message = `${show(resource)} is not declared in scopes, so the action does not get it`;
    report.at('toolspace.unknown-scope', [...path, index], message, { hint });
  }
}
