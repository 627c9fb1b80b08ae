// A JSON Schema that a manifest brings along is data from a stranger: its keywords must have the shapes of
// the 2020-12 meta-schema, it must be small, and it may refer only to itself.
import { isObject, type Json, type JsonObject, type JsonPath } from '../model/json.js';
import { nameOf, show } from './check.js';
import { isLinear } from './regex.js';
import type { Report } from './report.js';
import { endlessReference, explodes } from './schema-cycle.js';
import { type Shape, shapes, types, wanted } from './schema-keywords.js';

const maxCharacters = 64 * 1024;
const maxNesting = 32;

/** True when nothing is wrong with the schema at this place of the manifest. */
export function checkInnerSchema(report: Report, schema: Json, path: JsonPath): boolean {
  const characters = JSON.stringify(schema).length;
  if (characters > maxCharacters) {
    const message = `the schema in ${nameOf(path)} has ${characters.toLocaleString('en')} characters; at most ${maxCharacters.toLocaleString('en')}`;
    report.at('inner-schema.too-large', path, message);
    return false;
  }
  let sound = true;
  let refers = false;
  const wrong = (
    code: 'inner-schema.invalid' | 'inner-schema.too-large' | 'inner-schema.remote-ref',
    at: JsonPath,
    message: string,
    hint?: string,
  ) => {
    sound = false;
    report.at(code, at, message, { hint });
  };
  const visit = (value: Json, at: JsonPath, depth: number): void => {
    if (depth > maxNesting) {
      wrong(
        'inner-schema.too-large',
        at,
        `the schema in ${nameOf(path)} is nested more than ${maxNesting} levels deep`,
      );
      return;
    }
    if (typeof value === 'boolean') return;
    if (!isObject(value)) {
      wrong('inner-schema.invalid', at, `${nameOf(at)} must be ${wanted.schema}, not ${show(value)}`);
      return;
    }
    for (const [keyword, member] of Object.entries(value)) {
      const shape = Object.hasOwn(shapes, keyword) ? shapes[keyword] : undefined;
      if (shape === undefined) continue;
      const here = [...at, keyword];
      if (!fits(shape, member)) {
        wrong('inner-schema.invalid', here, `${nameOf(here)} must be ${wanted[shape]}, not ${show(member)}`);
        continue;
      }
      if (shape === 'reference') {
        refers = true;
        checkReference(schema, String(member), here, wrong);
      } else if (shape === 'schema') visit(member, here, depth + 1);
      else if (shape === 'schema-list')
        for (const [index, item] of (member as Json[]).entries()) visit(item, [...here, index], depth + 1);
      else if (shape === 'schema-map' || shape === 'pattern-map' || shape === 'dependency-map') {
        for (const [name, item] of Object.entries(member as JsonObject)) {
          if (shape === 'pattern-map') checkEngine(report, name, [...here, name], 'key');
          if (!(shape === 'dependency-map' && isNames(item))) visit(item, [...here, name], depth + 1);
        }
      } else if (shape === 'regex') checkEngine(report, String(member), here, 'value');
    }
  };
  visit(schema, path, 0);
  const endless = sound && refers ? endlessReference(schema) : null;
  if (endless !== null) {
    const at = [...path, ...endless];
    wrong(
      'inner-schema.invalid',
      at,
      `the schema in ${nameOf(path)} refers back to itself without end`,
      'let the reference stand below "properties" or "items"',
    );
  }
  if (sound && refers && explodes(schema)) {
    const message = `the definitions of the schema in ${nameOf(path)} use each other so often that checking never ends`;
    wrong('inner-schema.too-large', path, message, 'refer to a definition once where you can');
  }
  return sound;
}

/** Patterns run on a linear-time engine; what it cannot express runs apart, under a deadline. */
function checkEngine(report: Report, pattern: string, at: JsonPath, spot: 'key' | 'value'): void {
  if (!isLinear(pattern)) {
    const message = `${show(pattern)} needs look-around, back-references or very many repetitions`;
    report.at('inner-schema.regex', at, message, {
      hint: 'write it without them: a tool with such a pattern cannot be called here',
      spot,
    });
  }
}

function checkReference(
  schema: Json,
  reference: string,
  at: JsonPath,
  wrong: (
    code: 'inner-schema.invalid' | 'inner-schema.remote-ref',
    at: JsonPath,
    message: string,
    hint?: string,
  ) => void,
): void {
  if (!reference.startsWith('#')) {
    wrong(
      'inner-schema.remote-ref',
      at,
      `${nameOf(at)} points outside the schema: ${show(reference)}`,
      'copy the definition into "$defs" and refer to "#/$defs/…"',
    );
  } else if (reference.startsWith('#/') && !resolves(schema, reference)) {
    wrong('inner-schema.invalid', at, `${nameOf(at)} points to ${show(reference)}, which is not there`);
  }
}

function resolves(schema: Json, reference: string): boolean {
  let current: Json | undefined = schema;
  for (const raw of reference.split('/').slice(1)) {
    const step = raw.replaceAll('~1', '/').replaceAll('~0', '~');
    if (Array.isArray(current)) current = current[Number(step)];
    else if (isObject(current) && Object.hasOwn(current, step)) current = current[step];
    else return false;
  }
  return isObject(current) || typeof current === 'boolean';
}

function fits(shape: Shape, value: Json): boolean {
  switch (shape) {
    case 'schema':
      return typeof value === 'boolean' || isObject(value);
    case 'schema-list':
      return Array.isArray(value) && value.length > 0;
    case 'schema-map':
    case 'dependency-map':
      return isObject(value);
    case 'pattern-map':
      return isObject(value) && Object.keys(value).every(isRegex);
    case 'flag-map':
      return isObject(value) && Object.values(value).every((it) => typeof it === 'boolean');
    case 'identifier':
      return typeof value === 'string' && /^[^#]*#?$/.test(value);
    case 'text':
    case 'reference':
      return typeof value === 'string';
    case 'anchor':
      return typeof value === 'string' && /^[A-Za-z_][-A-Za-z0-9._]*$/.test(value);
    case 'regex':
      return typeof value === 'string' && isRegex(value);
    case 'number':
      return typeof value === 'number';
    case 'positive':
      return typeof value === 'number' && value > 0;
    case 'count':
      return typeof value === 'number' && Number.isInteger(value) && value >= 0;
    case 'flag':
      return typeof value === 'boolean';
    case 'names':
      return isNames(value);
    case 'names-map':
      return isObject(value) && Object.values(value).every(isNames);
    case 'type':
      return typeof value === 'string'
        ? types.includes(value)
        : isNames(value) &&
            (value as string[]).length > 0 &&
            (value as string[]).every((it) => types.includes(it));
    case 'any':
      return true;
    default:
      return Array.isArray(value);
  }
}

function isNames(value: Json): boolean {
  return (
    Array.isArray(value) &&
    value.every((it) => typeof it === 'string') &&
    new Set(value).size === value.length
  );
}

function isRegex(source: string): boolean {
  try {
    new RegExp(source, 'u');
    return true;
  } catch {
    return false;
  }
}
