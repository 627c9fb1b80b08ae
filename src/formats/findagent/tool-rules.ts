import { isObject, type Json, type JsonObject, type JsonPath } from '../../model/json.js';
import { pathName, show } from '../check.js';
import { checkInnerSchema } from '../inner-schema.js';
import { suggest } from '../suggest.js';
import { uniqueNames } from '../unique-names.js';
import type { FindagentReport } from './codes.js';
import { backendOf, effectsOf } from './effect.js';
import { checkHttp } from './http-rules.js';
import {
  codeMode,
  memberOf,
  objectOf,
  packageId,
  remoteUrl,
  slug,
  stringOf,
  toolEntries,
} from './manifest-fields.js';
import { parsePlaceholders } from './placeholder.js';
import { checkPlaceholderNames, checkSuspects, checkUnused, knownInputs } from './placeholder-rules.js';

/** Rules for tools and actions that the schema cannot express. */
export function checkTools(report: FindagentReport, manifest: JsonObject): void {
  const checkName = uniqueNames(report, {
    code: 'findagent.duplicate-tool',
    member: 'name',
    hint: 'give each tool its own name',
  });
  for (const [path, tool] of toolEntries(manifest)) {
    const name = stringOf(tool.name);
    if (name !== undefined) checkName(path, name);
    checkSchemas(report, tool, path);
    checkAction(report, manifest, tool, path);
    checkEffects(report, manifest, tool, path);
  }
  checkComposeCycles(report, manifest);
}

function checkSchemas(report: FindagentReport, tool: JsonObject, path: JsonPath): void {
  const { input_schema: input, output_schema: output } = tool;
  if (isObject(input)) {
    checkInnerSchema(report, input, [...path, 'input_schema']);
    if (input.type !== undefined && input.type !== 'object') {
      const message = `${pathName([...path, 'input_schema'])} has type ${show(input.type)}; the input of a tool must be an object`;
      report.at('findagent.input-not-object', [...path, 'input_schema', 'type'], message, {
        hint: 'write "type": "object" and describe each input under "properties"',
      });
    }
  }
  if (isObject(output)) checkInnerSchema(report, output, [...path, 'output_schema']);
}

const fieldsOf: Readonly<Record<string, readonly string[]>> = {
  http: ['type', 'method', 'url', 'headers', 'body_template', 'auth_ref'],
  'prompt-template': ['type', 'template'],
  compose: ['type', 'agent', 'tool'],
};

function checkAction(report: FindagentReport, manifest: JsonObject, tool: JsonObject, path: JsonPath): void {
  const at = [...path, 'action'];
  if (!isObject(tool.action)) {
    const hasProgram = codeMode(manifest) !== 'none' || remoteUrl(manifest) !== undefined;
    if (tool.action === undefined && !hasProgram) {
      const label = typeof tool.name === 'string' ? `tool ${show(tool.name)}` : pathName(path);
      const message = `${label} has no action, so it cannot be called`;
      report.at('findagent.tool-unbound', path, message, { hint: 'add an "action" to make it callable' });
    }
    return;
  }
  const action = tool.action;
  const type = stringOf(action.type) ?? '';
  const own = Object.hasOwn(fieldsOf, type) ? fieldsOf[type] : undefined;
  if (own === undefined) return;
  for (const field of Object.keys(action)) {
    const owner = Object.keys(fieldsOf).find((it) => it !== type && fieldsOf[it]?.includes(field));
    if (own.includes(field) || owner === undefined) continue;
    const message = `"${field}" belongs to actions of type ${owner}; it has no effect in a ${type} action`;
    report.at('findagent.foreign-field', [...at, field], message, { hint: 'remove it', spot: 'key' });
  }
  if (type === 'http') checkHttp(report, manifest, tool, at);
  if (type === 'prompt-template' && typeof action.template === 'string') {
    const { names, suspects } = parsePlaceholders(action.template);
    checkPlaceholderNames(report, knownInputs(tool), [...at, 'template'], names);
    checkSuspects(report, [...at, 'template'], suspects);
    checkUnused(report, tool, path, new Set(names));
  }
  if (type === 'compose') checkCompose(report, manifest, action, at);
}

/** The schema reports an unknown method. */
const mutating = /^(?:POST|PUT|PATCH|DELETE)$/;

function checkEffects(report: FindagentReport, manifest: JsonObject, tool: JsonObject, path: JsonPath): void {
  const hints = objectOf(tool.annotations);
  const hasProgram = codeMode(manifest) !== 'none' || remoteUrl(manifest) !== undefined;
  const rules = objectOf(objectOf(manifest.guardrails).actions);
  const rule = objectOf(memberOf(rules, stringOf(tool.name) ?? ''));
  const backend = backendOf(tool, hasProgram);
  const effects = effectsOf(tool, rule, backend, true);
  if (hints.readOnlyHint === true && hints.destructiveHint === true) {
    const message = `tool ${show(tool.name)} is marked read-only and destructive; the host treats it as destructive`;
    report.at('findagent.annotations-contradict', [...path, 'annotations', 'readOnlyHint'], message, {
      hint: 'keep the correct hint',
    });
  } else if (
    effects.readOnlyOverridden &&
    (backend !== 'http' || mutating.test(stringOf(objectOf(tool.action).method) ?? ''))
  ) {
    const reason =
      backend === 'http'
        ? `${stringOf(objectOf(tool.action).method) ?? 'a request without a method'} may change data`
        : 'the tool that it calls may change data';
    const message = `tool ${show(tool.name)} is not read-only: ${reason}; the host ignores the hint`;
    report.at('findagent.read-only-overridden', [...path, 'annotations', 'readOnlyHint'], message, {
      hint: backend === 'http' ? 'remove the hint, or use GET' : 'remove the hint',
    });
  }
  if (rule.approval === 'none' && effects.approval === 'human') {
    const message = `tool ${show(tool.name)} is destructive; each call needs approval, and this rule cannot change that`;
    report.at('findagent.approval-floor', ['guardrails', 'actions', String(tool.name), 'approval'], message, {
      hint: 'write "approval": "human"',
    });
  }
}

function checkCompose(report: FindagentReport, manifest: JsonObject, action: JsonObject, at: JsonPath): void {
  if (!isOwn(manifest, action) || typeof action.tool !== 'string') return;
  const names = toolEntries(manifest).flatMap(([, it]) => stringOf(it.name) ?? []);
  if (names.includes(action.tool)) return;
  const meant = suggest(action.tool, names);
  report.at(
    'findagent.compose-unknown-tool',
    [...at, 'tool'],
    `this agent has no tool named ${show(action.tool)}`,
    {
      hint: meant === undefined ? 'use the name of a tool in "tools"' : `did you mean "${meant}"?`,
    },
  );
}

/** Reports compose actions that call each other in a cycle within this manifest. */
function checkComposeCycles(report: FindagentReport, manifest: JsonObject): void {
  const next = new Map<string, string>();
  const places = new Map<string, JsonPath>();
  for (const [path, tool] of toolEntries(manifest)) {
    const action = objectOf(tool.action);
    if (action.type !== 'compose' || !isOwn(manifest, action)) continue;
    if (typeof tool.name !== 'string' || typeof action.tool !== 'string' || next.has(tool.name)) continue;
    next.set(tool.name, action.tool);
    places.set(tool.name, [...path, 'action', 'tool']);
  }
  const reported = new Set<string>();
  for (const [name, place] of places) {
    if (reported.has(name)) continue;
    const chain = [name];
    let reached: string | undefined = next.get(name);
    for (let hops = 0; hops <= next.size && reached !== undefined && reached !== name; hops++) {
      chain.push(reached);
      reached = next.get(reached);
    }
    if (reached === name) {
      for (const it of chain) reported.add(it);
      report.at(
        'findagent.compose-cycle',
        place,
        `tool ${show(name)} ends up calling itself: ${[...chain, name].join(' → ')}`,
        {
          hint: 'call a tool that has its own action',
        },
      );
    }
  }
}

function isOwn(manifest: JsonObject, action: JsonObject): boolean {
  const name: Json | undefined = manifest.name;
  return (
    typeof name === 'string' && typeof action.agent === 'string' && packageId(action.agent) === slug(name)
  );
}
