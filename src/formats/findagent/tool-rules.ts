import { isObject, type Json, type JsonObject, type JsonPath } from '../../model/json.js';
import { nameOf, show } from '../check.js';
import { checkInnerSchema } from '../inner-schema.js';
import type { Report } from '../report.js';
import { suggest } from '../suggest.js';
import { effectsOf, workerOf } from './effect.js';
import { checkHoles, checkSuspects, checkUnused, knownInputs } from './hole-rules.js';
import { checkHttp } from './http-rules.js';
import { splitHoles } from './placeholder.js';
import { codeMode, memberOf, objectOf, packageId, remoteUrl, slug, textOf, toolEntries } from './shape.js';

/** Everything the schema cannot say of tools and their actions. */
export function checkTools(report: Report, manifest: JsonObject): void {
  const seen = new Map<string, number>();
  for (const [index, tool] of toolEntries(manifest)) {
    const path = ['tools', index];
    const name = textOf(tool.name);
    if (name !== undefined && seen.has(name)) {
      const message = `${nameOf(path)} has the name ${show(name)} that tools[${seen.get(name)}] has`;
      report.at('findagent.duplicate-tool', [...path, 'name'], message, {
        hint: 'give each tool its own name',
      });
    } else if (name !== undefined) {
      seen.set(name, index);
    }
    checkSchemas(report, tool, path);
    checkAction(report, manifest, tool, path);
    checkEffects(report, manifest, tool, path);
  }
  checkComposeCycles(report, manifest);
}

function checkSchemas(report: Report, tool: JsonObject, path: JsonPath): void {
  const { input_schema: input, output_schema: output } = tool;
  if (isObject(input)) {
    checkInnerSchema(report, input, [...path, 'input_schema']);
    if (input.type !== undefined && input.type !== 'object') {
      const message = `${nameOf([...path, 'input_schema'])} describes ${show(input.type)}; the input of a tool is an object`;
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

function checkAction(report: Report, manifest: JsonObject, tool: JsonObject, path: JsonPath): void {
  const at = [...path, 'action'];
  if (!isObject(tool.action)) {
    const served = codeMode(manifest) !== 'none' || remoteUrl(manifest) !== undefined;
    if (tool.action === undefined && !served) {
      const called = typeof tool.name === 'string' ? `tool ${show(tool.name)}` : nameOf(path);
      const message = `${called} has no action: it is shown, and not served`;
      report.at('findagent.tool-unbound', path, message, { hint: 'add an "action" to make it callable' });
    }
    return;
  }
  const action = tool.action;
  const type = textOf(action.type) ?? '';
  const own = Object.hasOwn(fieldsOf, type) ? fieldsOf[type] : undefined;
  if (own === undefined) return;
  for (const field of Object.keys(action)) {
    const owner = Object.keys(fieldsOf).find((it) => it !== type && fieldsOf[it]?.includes(field));
    if (own.includes(field) || owner === undefined) continue;
    const message = `"${field}" belongs to actions of type ${owner}; a ${type} action has no use for it`;
    report.at('findagent.foreign-field', [...at, field], message, { hint: 'remove it', spot: 'key' });
  }
  if (type === 'http') checkHttp(report, manifest, tool, at);
  if (type === 'prompt-template' && typeof action.template === 'string') {
    const { names, suspects } = splitHoles(action.template);
    checkHoles(report, knownInputs(tool), [...at, 'template'], names);
    checkSuspects(report, [...at, 'template'], suspects);
    checkUnused(report, tool, path, new Set(names));
  }
  if (type === 'compose') checkCompose(report, manifest, action, at);
}

/** A method that is none at all has its own finding. */
const mutating = /^(?:POST|PUT|PATCH|DELETE)$/;

function checkEffects(report: Report, manifest: JsonObject, tool: JsonObject, path: JsonPath): void {
  const hints = objectOf(tool.annotations);
  const hasProgram = codeMode(manifest) !== 'none' || remoteUrl(manifest) !== undefined;
  const rules = objectOf(objectOf(manifest.guardrails).actions);
  const rule = objectOf(memberOf(rules, textOf(tool.name) ?? ''));
  const worker = workerOf(tool, hasProgram);
  const effects = effectsOf(tool, rule, worker, true);
  if (hints.readOnlyHint === true && hints.destructiveHint === true) {
    const message = `tool ${show(tool.name)} is said to be read-only and destructive; destructive counts`;
    report.at('findagent.annotations-contradict', [...path, 'annotations', 'readOnlyHint'], message, {
      hint: 'keep the one that is true',
    });
  } else if (
    effects.readOnlyOverridden &&
    (worker !== 'http' || mutating.test(textOf(objectOf(tool.action).method) ?? ''))
  ) {
    const doing =
      worker === 'http'
        ? `${textOf(objectOf(tool.action).method) ?? 'a request without a method'} may change things`
        : 'what it calls may change things';
    const message = `tool ${show(tool.name)} is not read-only: ${doing}; the hint is overridden`;
    report.at('findagent.read-only-overridden', [...path, 'annotations', 'readOnlyHint'], message, {
      hint: worker === 'http' ? 'remove the hint, or use GET' : 'remove the hint',
    });
  }
  if (rule.approval === 'none' && effects.approval === 'human') {
    const message = `tool ${show(tool.name)} is destructive, so a person approves each call whatever the rule says`;
    report.at('findagent.approval-floor', ['guardrails', 'actions', String(tool.name), 'approval'], message, {
      hint: 'write "approval": "human"',
    });
  }
}

function checkCompose(report: Report, manifest: JsonObject, action: JsonObject, at: JsonPath): void {
  if (!isOwn(manifest, action) || typeof action.tool !== 'string') return;
  const names = toolEntries(manifest).flatMap(([, it]) => textOf(it.name) ?? []);
  if (names.includes(action.tool)) return;
  const meant = suggest(action.tool, names);
  report.at(
    'findagent.compose-unknown-tool',
    [...at, 'tool'],
    `this agent has no tool ${show(action.tool)}`,
    {
      hint: meant === undefined ? 'name a tool of "tools"' : `did you mean "${meant}"?`,
    },
  );
}

/** Compose actions that lead back to themselves inside the one manifest. */
function checkComposeCycles(report: Report, manifest: JsonObject): void {
  const next = new Map<string, string>();
  const places = new Map<string, JsonPath>();
  for (const [index, tool] of toolEntries(manifest)) {
    const action = objectOf(tool.action);
    if (action.type !== 'compose' || !isOwn(manifest, action)) continue;
    if (typeof tool.name !== 'string' || typeof action.tool !== 'string' || next.has(tool.name)) continue;
    next.set(tool.name, action.tool);
    places.set(tool.name, ['tools', index, 'action', 'tool']);
  }
  const told = new Set<string>();
  for (const [name, place] of places) {
    if (told.has(name)) continue;
    const way = [name];
    let reached: string | undefined = next.get(name);
    for (let hops = 0; hops <= next.size && reached !== undefined && reached !== name; hops++) {
      way.push(reached);
      reached = next.get(reached);
    }
    if (reached === name) {
      for (const it of way) told.add(it);
      report.at(
        'findagent.compose-cycle',
        place,
        `tool ${show(name)} ends up calling itself: ${[...way, name].join(' → ')}`,
        {
          hint: 'let it call a tool that does the work',
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
