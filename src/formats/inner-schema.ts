// Checks the JSON Schemas inside a manifest. They are untrusted: keywords must have the values that the 2020-12
// meta-schema allows, the size is limited, and references must stay inside the schema.
import { isObject, type Json, type JsonObject, type JsonPath } from '../model/json.js';
import { pathName, show } from './check.js';
import { isLinearRegex } from './linear-regex.js';
import type { Report } from './report.js';
import { findCyclicReference, isTooExpensive } from './schema-cycle.js';
import { jsonTypes, type KeywordShape, keywordShapes, shapeDescriptions } from './schema-keywords.js';

const maxCharacters = 64 * 1024;
const maxNesting = 32;

/** Reports errors in the schema at a path of the manifest. True when it is valid. */
export function checkInnerSchema(report: Report, schema: Json, path: JsonPath): boolean {
  const characters = JSON.stringify(schema).length;
  if (characters > maxCharacters) {
    const message = `the schema in ${pathName(path)} has ${characters.toLocaleString('en')} characters; the limit is ${maxCharacters.toLocaleString('en')}`;
    report.at('inner-schema.too-large', path, message);
    return false;
  }
  let valid = true;
  let hasReferences = false;
  const fail = (
    code: 'inner-schema.invalid' | 'inner-schema.too-large' | 'inner-schema.remote-ref',
    at: JsonPath,
    message: string,
    hint?: string,
  ) => {
    valid = false;
    report.at(code, at, message, { hint });
  };
  const visit = (value: Json, at: JsonPath, depth: number): void => {
    if (depth > maxNesting) {
      fail(
        'inner-schema.too-large',
        at,
        `the schema in ${pathName(path)} is nested more than ${maxNesting} levels deep`,
      );
      return;
    }
    if (typeof value === 'boolean') return;
    if (!isObject(value)) {
      fail(
        'inner-schema.invalid',
        at,
        `${pathName(at)} must be ${shapeDescriptions.schema}, not ${show(value)}`,
      );
      return;
    }
    for (const [keyword, member] of Object.entries(value)) {
      const shape = Object.hasOwn(keywordShapes, keyword) ? keywordShapes[keyword] : undefined;
      if (shape === undefined) continue;
      const here = [...at, keyword];
      if (!fits(shape, member)) {
        fail(
          'inner-schema.invalid',
          here,
          `${pathName(here)} must be ${shapeDescriptions[shape]}, not ${show(member)}`,
        );
        continue;
      }
      if (shape === 'reference') {
        hasReferences = true;
        checkReference(schema, String(member), here, fail);
      } else if (shape === 'schema') visit(member, here, depth + 1);
      else if (shape === 'schema-list')
        for (const [index, item] of (member as Json[]).entries()) visit(item, [...here, index], depth + 1);
      else if (shape === 'schema-map' || shape === 'pattern-map' || shape === 'dependency-map') {
        for (const [name, item] of Object.entries(member as JsonObject)) {
          if (shape === 'pattern-map') checkPattern(report, name, [...here, name], 'key');
          if (!(shape === 'dependency-map' && isNames(item))) visit(item, [...here, name], depth + 1);
        }
      } else if (shape === 'regex') checkPattern(report, String(member), here, 'value');
    }
  };
  visit(schema, path, 0);
  const cyclic = valid && hasReferences ? findCyclicReference(schema) : null;
  if (cyclic !== null) {
    const at = [...path, ...cyclic];
    fail(
      'inner-schema.invalid',
      at,
      `the schema in ${pathName(path)} contains a cyclic reference`,
      'move the reference below "properties" or "items"',
    );
  }
  if (valid && hasReferences && isTooExpensive(schema)) {
    const message = `the schema in ${pathName(path)} is too expensive to check: its definitions refer to each other too often`;
    fail('inner-schema.too-large', path, message, 'refer to each definition fewer times');
  }
  return valid;
}

/** Patterns run on a linear-time engine, which does not support every regular expression. */
function checkPattern(report: Report, pattern: string, at: JsonPath, spot: 'key' | 'value'): void {
  if (!isLinearRegex(pattern)) {
    const message = `${show(pattern)} uses look-around, back-references or large repetition counts`;
    report.at('inner-schema.regex', at, message, {
      hint: 'rewrite the pattern without them; otherwise the tool cannot be called',
      spot,
    });
  }
}

function checkReference(
  schema: Json,
  reference: string,
  at: JsonPath,
  fail: (
    code: 'inner-schema.invalid' | 'inner-schema.remote-ref',
    at: JsonPath,
    message: string,
    hint?: string,
  ) => void,
): void {
  if (!reference.startsWith('#')) {
    fail(
      'inner-schema.remote-ref',
      at,
      `${pathName(at)} points outside the schema: ${show(reference)}`,
      'copy the definition into "$defs" and refer to "#/$defs/…"',
    );
  } else if (reference.startsWith('#/') && !resolves(schema, reference)) {
    fail('inner-schema.invalid', at, `${pathName(at)} points to ${show(reference)}, which does not exist`);
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

function fits(shape: KeywordShape, value: Json): boolean {
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
        ? jsonTypes.includes(value)
        : isNames(value) &&
            (value as string[]).length > 0 &&
            (value as string[]).every((it) => jsonTypes.includes(it));
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
