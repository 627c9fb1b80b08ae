import { isObject, type Json, type JsonObject, type JsonPath } from '../../model/json.js';
import { nameOf, show } from '../check.js';
import { checkInnerSchema } from '../inner-schema.js';
import type { Report } from '../report.js';
import { suggest } from '../suggest.js';
import { readVariables, type Variables } from './env.js';
import { misfit } from './fit.js';
import { declaredMembers } from './input-schema.js';
import { checkHeaders, checkPath } from './request.js';
import { checkTokens, inputSchemaOf } from './tokens.js';

export function checkActions(report: Report, manifest: JsonObject): void {
  const actions = Array.isArray(manifest.actions) ? manifest.actions : [];
  const variables = readVariables(manifest);
  const resources = resourcesOf(manifest.scopes);
  const kind = isObject(manifest.runtime) ? manifest.runtime.kind : undefined;
  const seen = new Map<string, number>();
  for (const [index, action] of actions.entries()) {
    if (!isObject(action)) continue;
    const path = ['actions', index];
    const { name } = action;
    if (typeof name === 'string') {
      const earlier = seen.get(name);
      if (earlier === undefined) seen.set(name, index);
      else {
        const message = `actions[${index}] has the name ${show(name)} that actions[${earlier}] has`;
        report.at('toolspace.duplicate-action', [...path, 'name'], message, {
          hint: 'give each action its own name',
        });
      }
    }
    checkInvocation(report, action, path, variables, kind);
    checkSchemas(report, action, path);
    checkExamples(report, action, path);
    checkScopes(report, action.scopes_used, [...path, 'scopes_used'], resources);
  }
}

const tokenMistakes: readonly string[] = ['toolspace.malformed-token', 'toolspace.unknown-input'];

function checkInvocation(
  report: Report,
  action: JsonObject,
  path: JsonPath,
  variables: Variables,
  runtimeKind: Json | undefined,
): void {
  const { invocation } = action;
  if (!isObject(invocation)) return;
  const at = [...path, 'invocation'];
  const scope = { variables, input: inputSchemaOf(action), dialect: 'action' } as const;
  const named: (readonly string[])[] = [];
  const told = report.diagnostics.length;
  // A mistyped token was meant to name some input, so none is called unused then.
  const mistyped = () => report.diagnostics.slice(told).some((it) => tokenMistakes.includes(it.code));
  switch (invocation.kind) {
    case 'subcommand':
    case 'stdin-json': {
      if (!Array.isArray(invocation.argv_template)) break;
      const words = invocation.argv_template;
      for (const [index, word] of words.entries())
        named.push(...checkTokens(report, word, [...at, 'argv_template', index], 'argv', scope));
      if (invocation.kind === 'subcommand' && !mistyped())
        checkUnused(report, action, path, named, 'no argument names it and a subcommand has no stdin');
      break;
    }
    case 'http':
      checkPath(report, invocation.path, [...at, 'path']);
      named.push(...checkTokens(report, invocation.path, [...at, 'path'], 'path', scope));
      checkHeaders(report, invocation.headers, [...at, 'headers']);
      for (const [header, value] of Object.entries(isObject(invocation.headers) ? invocation.headers : {}))
        named.push(...checkTokens(report, value, [...at, 'headers', header], 'header', scope));
      if (invocation.method === 'GET' && typeof invocation.path === 'string' && !mistyped())
        checkUnused(report, action, path, named, 'neither path nor headers name it and GET has no body');
      break;
    case 'mcp-tool':
      if (typeof runtimeKind === 'string' && !runtimeKind.startsWith('mcp-')) {
        const message = `${nameOf(path)} calls a tool of an MCP server, and runtime.kind ${show(runtimeKind)} is none`;
        report.at('toolspace.mcp-action', [...at, 'kind'], message, {
          hint: 'use subcommand, stdin-json or http, or make runtime.kind mcp-stdio or mcp-http',
        });
      }
      break;
  }
}

/** An input that reaches nothing is lost without a word, so it is said here. */
function checkUnused(
  report: Report,
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
    report.at('toolspace.input-unused', place, `the input ${show(member)} goes nowhere: ${reason}`, {
      hint: `use \${input.${member}}, or remove it`,
      spot: 'key',
    });
  }
}

function checkSchemas(report: Report, action: JsonObject, path: JsonPath): void {
  const { input, output } = action;
  if (isObject(input)) {
    checkInnerSchema(report, input, [...path, 'input']);
    if (typeof input.type === 'string' ? input.type !== 'object' : input.type !== undefined) {
      const message = `${nameOf(path)}.input describes ${show(input.type)}; the input of an action is always an object`;
      report.at('toolspace.input-not-object', [...path, 'input', 'type'], message, {
        hint: 'write "type": "object" and put the value under "properties"',
      });
    }
  }
  if (!isObject(output) || !isObject(output.schema)) return;
  checkInnerSchema(report, output.schema, [...path, 'output', 'schema']);
  if (['text', 'binary', 'none'].includes(String(output.format))) {
    const message = `${nameOf(path)}.output has a schema, which nothing is compared with when format is ${show(output.format)}`;
    report.at('toolspace.output-schema-unused', [...path, 'output', 'schema'], message, {
      hint: 'use format json or ndjson-stream, or remove the schema',
      spot: 'key',
    });
  }
}

function checkExamples(report: Report, action: JsonObject, path: JsonPath): void {
  const examples = Array.isArray(action.examples) ? action.examples : [];
  const output = isObject(action.output) && isObject(action.output.schema) ? action.output.schema : undefined;
  for (const [index, example] of examples.entries()) {
    if (!isObject(example)) continue;
    const at = [...path, 'examples', index];
    if (example.input !== undefined)
      compare(report, inputSchemaOf(action) ?? noInput, example.input, [...at, 'input'], true);
    if (example.output !== undefined && output !== undefined && !isStream(action.output))
      compare(report, output, example.output, [...at, 'output'], false);
  }
}

/** An action without a schema takes an object without members. */
export const noInput: JsonObject = { type: 'object', properties: {}, additionalProperties: false };

/** The schema of a stream speaks of one record; an example may show many. */
function isStream(output: Json | undefined): boolean {
  return isObject(output) && output.format === 'ndjson-stream';
}

function compare(report: Report, schema: JsonObject, value: Json, path: JsonPath, closed: boolean): void {
  const wrong = misfit(schema, value, closed);
  if (wrong === undefined) return;
  const message = `${nameOf(path)} does not fit the schema: ${wrong.reason}`;
  report.at('toolspace.example-mismatch', [...path, ...wrong.path], message, {
    hint: 'mend the example, or the schema if the example is right',
  });
}

function resourcesOf(scopes: Json | undefined): readonly string[] {
  const entries = Array.isArray(scopes) ? scopes : [];
  return entries.flatMap((it) => (isObject(it) && typeof it.resource === 'string' ? [it.resource] : []));
}

function checkScopes(
  report: Report,
  used: Json | undefined,
  path: JsonPath,
  resources: readonly string[],
): void {
  for (const [index, resource] of (Array.isArray(used) ? used : []).entries()) {
    if (typeof resource !== 'string' || resources.includes(resource)) continue;
    const meant = suggest(resource, resources);
    const hint = meant === undefined ? 'declare it in scopes' : `did you mean ${show(meant)}?`;
    const message = `${show(resource)} is not the resource of a declared scope, so the action does not get it`;
    report.at('toolspace.unknown-scope', [...path, index], message, { hint });
  }
}
