import { isObject, type Json, type JsonObject } from '../../model/json.js';
import type { Tool } from '../../model/tool.js';
import type { Agent } from './agent.js';
import { oneLine, withFinalNewline } from './text.js';

/** One line about the agent, for lists. */
export function summary({ package: pkg }: Agent): string {
  return oneLine(pkg.description) || oneLine(pkg.name);
}

/** The text to give a model: the instructions, example questions and the list of tools. */
export function recipe(agent: Agent): string {
  const parts = [agent.instructions.trim() || summary(agent)];
  if (agent.examples.length > 0)
    parts.push(`## What people ask\n\n${agent.examples.map((it) => `- ${oneLine(it)}`).join('\n')}`);
  const tools = agent.package.tools.filter((it) => it.action !== null);
  if (tools.length > 0)
    parts.push(`## Tools\n\n${tools.map((it) => `- ${it.name}: ${oneLine(it.description)}`).join('\n')}`);
  return withFinalNewline(parts.join('\n\n'));
}

/** Example arguments that show the structure of a call. A person replaces the values. */
export function sampleArguments({ input }: Tool): JsonObject {
  if (!isObject(input) || !isObject(input.properties)) return {};
  const required = Array.isArray(input.required) ? input.required : [];
  const { properties } = input;
  return Object.fromEntries(
    required.flatMap((name) =>
      typeof name === 'string'
        ? [[name, sampleOf(Object.hasOwn(properties, name) ? properties[name] : undefined)]]
        : [],
    ),
  );
}

function sampleOf(schema: Json | undefined): Json {
  if (!isObject(schema)) return '…';
  if (schema.default !== undefined) return schema.default;
  if (schema.const !== undefined) return schema.const;
  if (Array.isArray(schema.enum) && schema.enum.length > 0) return schema.enum[0] as Json;
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  switch (type) {
    case 'number':
    case 'integer':
      return typeof schema.minimum === 'number' ? schema.minimum : 1;
    case 'boolean':
      return true;
    case 'array':
      return [];
    case 'object':
      return {};
    case 'null':
      return null;
    default:
      return '…';
  }
}
