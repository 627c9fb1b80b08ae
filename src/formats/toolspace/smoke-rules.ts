import { isObject, type Json, type JsonObject } from '../../model/json.js';
import { show } from '../check.js';
import { suggest } from '../suggest.js';
import { emptyInputSchema } from './action-rules.js';
import type { ToolspaceReport } from './codes.js';
import { readVariables } from './env-rules.js';
import { checkRegex } from './regex-rules.js';
import { checkHeaders } from './request-rules.js';
import { findMismatch } from './schema-mismatch.js';
import { checkTokens, inputSchemaOf } from './token-rules.js';

/** The kinds of smoke test that each success condition applies to. */
const conditions: Readonly<Record<string, readonly string[]>> = {
  exit_code: ['shell'],
  stdout_regex: ['shell'],
  http_status: ['http'],
  body_regex: ['http'],
  json_pointer_equals: ['http', 'mcp-tool-call', 'action-call'],
  no_error_field: ['http', 'mcp-tool-call', 'action-call'],
};

/** Whether a success condition applies to a kind of smoke test. */
export function appliesTo(condition: string, kind: string): boolean {
  return conditions[condition]?.includes(kind) === true;
}

export function checkSmoke(report: ToolspaceReport, manifest: JsonObject): void {
  const { smoke } = manifest;
  if (!isObject(smoke)) return;
  switch (smoke.kind) {
    case 'http':
      checkRequest(report, manifest, smoke);
      break;
    case 'mcp-tool-call':
      checkServer(report, manifest, smoke);
      break;
    case 'action-call':
      checkAction(report, manifest, smoke);
      break;
  }
  checkSuccess(report, smoke);
}

function checkRequest(report: ToolspaceReport, manifest: JsonObject, smoke: JsonObject): void {
  const scope = { variables: readVariables(manifest), input: undefined, dialect: 'smoke' } as const;
  checkHeaders(report, smoke.headers, ['smoke', 'headers']);
  for (const [name, value] of Object.entries(isObject(smoke.headers) ? smoke.headers : {}))
    checkTokens(report, value, ['smoke', 'headers', name], 'header', scope);
  checkTokens(report, smoke.body, ['smoke', 'body'], 'body', scope);
  if (typeof smoke.body === 'string' && (smoke.method === undefined || smoke.method === 'GET')) {
    report.at(
      'toolspace.smoke-body',
      ['smoke', 'body'],
      'a GET request has no body; smoke.body is not sent',
      {
        hint: 'set "method": "POST", or remove the body',
        spot: 'key',
      },
    );
  }
}

function checkServer(report: ToolspaceReport, manifest: JsonObject, smoke: JsonObject): void {
  const kind = isObject(manifest.runtime) ? manifest.runtime.kind : undefined;
  if (typeof kind === 'string' && !kind.startsWith('mcp-')) {
    const message = `smoke calls a tool of an MCP server, but runtime.kind ${show(kind)} is not an MCP server`;
    report.at('toolspace.smoke-not-mcp', ['smoke', 'kind'], message, {
      hint: 'use "action-call" or "shell"',
    });
  }
  const target = actionsOf(manifest).find(
    (it) =>
      isObject(it.invocation) &&
      it.invocation.kind === 'mcp-tool' &&
      it.invocation.tool_name === smoke.tool_name,
  );
  if (target !== undefined) checkEffect(report, target, 'tool_name');
}

function checkAction(report: ToolspaceReport, manifest: JsonObject, smoke: JsonObject): void {
  const { action } = smoke;
  // The schema already reports an invalid name.
  if (typeof action !== 'string' || !/^[a-z][a-z0-9_]{0,62}$/.test(action)) return;
  const actions = actionsOf(manifest);
  const target = actions.find((it) => it.name === action);
  if (target === undefined) {
    const names = actions.flatMap((it) => (typeof it.name === 'string' ? [it.name] : []));
    const meant = suggest(action, names);
    const hint =
      meant === undefined ? `the actions are: ${names.join(', ') || 'none'}` : `did you mean "${meant}"?`;
    report.at(
      'toolspace.smoke-action',
      ['smoke', 'action'],
      `smoke.action ${show(action)} is not an action of this manifest`,
      { hint },
    );
    return;
  }
  checkEffect(report, target, 'action');
  const mismatch = findMismatch(inputSchemaOf(target) ?? emptyInputSchema, smoke.arguments ?? {}, true);
  if (mismatch === undefined) return;
  const message = `smoke.arguments do not match the input of ${show(action)}: ${mismatch.reason}`;
  report.at('toolspace.smoke-arguments', ['smoke', 'arguments', ...mismatch.path], message, {
    hint: 'write arguments that the action accepts; otherwise the smoke test fails',
  });
}

function checkEffect(report: ToolspaceReport, target: JsonObject, field: 'action' | 'tool_name'): void {
  const effect = target.side_effects;
  if (effect !== 'write' && effect !== 'destructive') return;
  const message = `the smoke test calls ${show(target.name)}, but its side_effects are ${show(effect)}`;
  report.at('toolspace.smoke-effect', ['smoke', field], message, {
    hint: 'call an action whose side_effects are none or read',
  });
}

function checkSuccess(report: ToolspaceReport, smoke: JsonObject): void {
  const { success, kind } = smoke;
  if (!isObject(success)) return;
  for (const [condition, kinds] of Object.entries(conditions)) {
    if (success[condition] === undefined || typeof kind !== 'string' || kinds.includes(kind)) continue;
    if (!Object.values(conditions).some((it) => it.includes(kind))) continue;
    const message = `${condition} does not apply to a smoke test of kind ${show(kind)} and is ignored`;
    report.at('toolspace.foreign-success', ['smoke', 'success', condition], message, {
      hint: `remove it; it applies to ${kinds.join(', ')}`,
      spot: 'key',
    });
  }
  checkRegex(report, success.stdout_regex, ['smoke', 'success', 'stdout_regex']);
  checkRegex(report, success.body_regex, ['smoke', 'success', 'body_regex']);
  const pointers = isObject(success.json_pointer_equals) ? success.json_pointer_equals : {};
  for (const pointer of Object.keys(pointers)) {
    if (pointer === '' || (pointer.startsWith('/') && !/~(?![01])/.test(pointer))) continue;
    const reason = pointer.startsWith('/') ? '"~" must be followed by 0 or 1' : 'a pointer starts with "/"';
    const place = ['smoke', 'success', 'json_pointer_equals', pointer];
    report.at('toolspace.json-pointer', place, `${show(pointer)} is not a JSON Pointer: ${reason}`, {
      hint: 'write it like "/items/0/name"; "" is the whole response',
      spot: 'key',
    });
  }
}

function actionsOf(manifest: JsonObject): readonly JsonObject[] {
  const actions: readonly Json[] = Array.isArray(manifest.actions) ? manifest.actions : [];
  return actions.filter(isObject);
}
