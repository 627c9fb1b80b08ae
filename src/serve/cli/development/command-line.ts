// Lines that an author types at the prompt of `dev`.
import { HostError } from '../../../model/host-error.js';
import { isObject, type Json, type JsonObject, type JsonSchema } from '../../../model/json.js';
import { requestLimits, tryParseBounded } from '../../../model/json-bounds.js';

/** A line as its first word and the rest. */
export interface TypedLine {
  readonly word: string;
  readonly rest: string;
}

export function splitLine(line: string): TypedLine {
  const [, word = '', rest = ''] = /^\s*(\S*)\s*(.*?)\s*$/s.exec(line) ?? [];
  return { word, rest };
}

/** The parts of a text between blanks. Quotes keep blanks; a backslash in double quotes or outside keeps the next character. */
export function splitArgs(text: string): readonly string[] {
  const args: string[] = [];
  let word: string | undefined;
  let quote = '';
  for (let at = 0; at < text.length; at++) {
    const character = text[at] as string;
    if (quote !== '' && character === quote) quote = '';
    else if (character === '\\' && quote !== "'" && at + 1 < text.length) word = (word ?? '') + text[++at];
    else if (quote === '' && (character === '"' || character === "'")) {
      quote = character;
      word ??= '';
    } else if (quote === '' && /\s/.test(character)) {
      if (word !== undefined) args.push(word);
      word = undefined;
    } else word = (word ?? '') + character;
  }
  if (quote !== '')
    throw new HostError('usage', `a quote is open: ${quote}`, { hint: 'close it at the end of the value' });
  if (word !== undefined) args.push(word);
  return args;
}

/**
 * Arguments written as `name=value`. `input`: the schema of the tool, if it is known. A value is a text where the schema
 * says so; elsewhere it is read as JSON if it is JSON.
 */
export function namedArguments(text: string, input: JsonSchema | undefined): JsonObject {
  const found: [string, Json][] = [];
  for (const word of splitArgs(text)) {
    const at = word.indexOf('=');
    if (at < 1)
      throw new HostError('usage', `${JSON.stringify(word)} is neither JSON nor name=value`, {
        hint: 'write TOOL name=value …, or TOOL {"name": "value"}',
      });
    const name = word.slice(0, at);
    if (found.some(([it]) => it === name)) throw new HostError('usage', `${name} is given twice`);
    found.push([name, typedValue(word.slice(at + 1), propertyOf(input, name))]);
  }
  return Object.fromEntries(found);
}

function propertyOf(input: JsonSchema | undefined, name: string): Json | undefined {
  const properties = isObject(input) ? input.properties : undefined;
  return isObject(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined;
}

function typedValue(text: string, schema: Json | undefined): Json {
  const type = isObject(schema) ? schema.type : undefined;
  if (type === 'string') return text;
  const value = tryParseBounded(text, requestLimits);
  if (value === undefined) return text;
  // Where text is possible too, only a list or an object is certainly not one.
  return Array.isArray(type) && type.includes('string') && typeof value !== 'object' ? text : value;
}
