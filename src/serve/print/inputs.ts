import { isObject, type Json, type JsonObject } from '../../model/json.js';
import type { Tool } from '../../model/tool.js';
import { visibleLine } from './visible.js';
import { pad, width, wrap } from './width.js';

/** More than this is looked up with --json. */
const mostChoices = 12;

/** The names of what a tool takes, in one line; those that may be left out have a question mark. */
export function inputNames(tool: Tool): string {
  if (!isObject(tool.input) || !isObject(tool.input.properties))
    return isObject(tool.input) && tool.input.additionalProperties !== false ? '…' : '';
  return inputsOf(tool)
    .map(([name]) => name)
    .join(', ');
}

/** One entry for each thing that a tool takes: its name, kind, default and meaning. */
export function printInputs(tool: Tool, columns: number): string[] {
  const inputs = inputsOf(tool);
  const widest = Math.min(24, Math.max(0, ...inputs.map(([name]) => width(name))));
  const indent = 6 + widest + 2;
  return inputs.flatMap(([name, schema]) => {
    const meaning = typeof schema.description === 'string' ? schema.description : '';
    const text = [kindOf(schema), meaning].filter((it) => it !== '').join('; ');
    const [first = '', ...rest] = wrap(visibleLine(text), Math.max(20, columns - indent));
    const label = `      ${pad(name, widest)}`;
    return [`${label}  ${first}`.trimEnd(), ...rest.map((it) => `${' '.repeat(indent)}${it}`)];
  });
}

function inputsOf({ input }: Tool): readonly (readonly [string, JsonObject])[] {
  if (!isObject(input) || !isObject(input.properties)) return [];
  const required = Array.isArray(input.required) ? input.required : [];
  return Object.entries(input.properties).map(([name, schema]) => [
    visibleLine(required.includes(name) ? name : `${name}?`),
    isObject(schema) ? schema : {},
  ]);
}

function kindOf(schema: JsonObject): string {
  const preset = schema.default === undefined ? [] : [`${short(schema.default)} unless told`];
  return [typeOf(schema), ...boundsOf(schema), ...preset].filter((it) => it !== '').join(', ');
}

function typeOf(schema: JsonObject): string {
  if (schema.const !== undefined) return `always ${short(schema.const)}`;
  if (Array.isArray(schema.enum)) {
    const shown = schema.enum.slice(0, mostChoices).map(short);
    return `one of ${shown.join(', ')}${schema.enum.length > shown.length ? ', …' : ''}`;
  }
  const types = Array.isArray(schema.type) ? schema.type : [schema.type];
  const named = types.filter((it): it is string => typeof it === 'string');
  if (named.length === 1 && named[0] === 'array' && isObject(schema.items)) {
    const inner = typeOf(schema.items);
    return inner === '' ? 'array' : `array of ${inner}`;
  }
  return named.join(' or ');
}

function boundsOf({ minimum, maximum }: JsonObject): string[] {
  if (typeof minimum === 'number' && typeof maximum === 'number') return [`${minimum} to ${maximum}`];
  if (typeof minimum === 'number') return [`${minimum} or more`];
  return typeof maximum === 'number' ? [`${maximum} or less`] : [];
}

function short(value: Json): string {
  const text = JSON.stringify(value);
  return text.length <= 60 ? text : `${text.slice(0, 59)}…`;
}
