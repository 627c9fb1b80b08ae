import { isObject, type Json, type JsonObject } from '../../model/json.js';
import type { Tool } from '../../model/tool.js';
import { visibleLine } from './visible.js';
import { pad, width, wrap } from './width.js';

/** Further choices are shown only with --json. */
const mostChoices = 12;

/** What `tainted_ok` means. */
const untrustedNote = 'may be untrusted';

/** The argument names of a tool in one line; optional ones have a question mark. */
export function inputNames(tool: Tool): string {
  if (!isObject(tool.input) || !isObject(tool.input.properties))
    return isObject(tool.input) && tool.input.additionalProperties !== false ? '…' : '';
  return inputsOf(tool)
    .map(([name]) => name)
    .join(', ');
}

/** One line for each argument of a tool: name, type, default and description. */
export function printInputs(tool: Tool, columns: number): string[] {
  const inputs = inputsOf(tool);
  const widest = Math.min(24, Math.max(0, ...inputs.map(([name]) => width(name))));
  const indent = 6 + widest + 2;
  return inputs.flatMap(([name, schema]) => {
    const description = typeof schema.description === 'string' ? schema.description : '';
    const untrusted = tool.untrustedInputs.includes(name.replace(/\?$/, '')) ? untrustedNote : '';
    const text = [kindOf(schema), untrusted, description].filter((it) => it !== '').join('; ');
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
  const preset = schema.default === undefined ? [] : [`default: ${short(schema.default)}`];
  return [typeOf(schema), ...boundsOf(schema), ...preset].filter((it) => it !== '').join(', ');
}

/** The type that a schema describes, in words. Empty if it names none. */
export function typeOf(schema: JsonObject): string {
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
