// Checks whether an example matches its schema, without a full validator.
// Checked: type, enum, const, required, properties, additionalProperties, items, prefixItems, the limits of length,
// count and size, allOf, anyOf, oneOf, local $ref. Ignored, so that there are no false positives: pattern, format,
// patternProperties, if/then/else, not, contains, dependent*, unevaluated*, uniqueItems, multipleOf.
import { isObject, type Json, type JsonObject, type JsonPath } from '../../model/json.js';
import { show } from '../check.js';
import { isOfType } from '../json-type.js';
import { usesComposition } from './closed-schema.js';
import { resolveLocalRef } from './input-schema.js';

export interface Mismatch {
  /** The path inside the value. */
  readonly path: JsonPath;
  readonly reason: string;
}

/** Far more than a real schema and example need. Beyond the limits the value counts as matching. */
const maxSteps = 10_000;
const maxNesting = 256;

/** The first mismatch; undefined if there is none or it is unclear. `closed`: undeclared members are mismatches. */
export function findMismatch(schema: JsonObject, value: Json, closed: boolean): Mismatch | undefined {
  let steps = 0;
  let nesting = 0;

  const visit = (
    node: Json | undefined,
    part: Json,
    path: JsonPath,
    strict: boolean,
  ): Mismatch | undefined => {
    if (++steps > maxSteps || nesting >= maxNesting) return undefined;
    nesting++;
    const found = visitNode(node, part, path, strict);
    nesting--;
    return found;
  };

  const visitNode = (node: Json | undefined, part: Json, path: JsonPath, strict: boolean) => {
    if (node === false) return { path, reason: `${partName(path)} is not allowed` };
    if (!isObject(node)) return undefined;
    return (
      checkValue(node, part, path, same) ??
      (isObject(part) ? visitMembers(node, part, path, strict) : undefined) ??
      (Array.isArray(part) ? visitItems(node, part, path, strict) : undefined) ??
      visitComposition(node, part, path)
    );
  };

  /** Deep equality. Its steps count too, so that comparing large values stays bounded. */
  const same = (a: Json, b: Json): boolean => {
    if (++steps > maxSteps || a === b) return true;
    if (Array.isArray(a) && Array.isArray(b))
      return a.length === b.length && a.every((it, index) => same(it, b[index] as Json));
    if (!isObject(a) || !isObject(b)) return false;
    const keys = Object.keys(a);
    return (
      keys.length === Object.keys(b).length &&
      keys.every((key) => Object.hasOwn(b, key) && same(a[key] as Json, b[key] as Json))
    );
  };

  const visitMembers = (node: JsonObject, part: JsonObject, path: JsonPath, strict: boolean) => {
    for (const name of listOf(node.required)) {
      if (typeof name === 'string' && !Object.hasOwn(part, name) && !hasDefault(node, name))
        return {
          path,
          reason: `${show(name)} is missing${path.length === 0 ? '' : ` in ${partName(path)}`}`,
        };
    }
    const properties = isObject(node.properties) ? node.properties : {};
    for (const [key, member] of Object.entries(part)) {
      const at = [...path, key];
      if (Object.hasOwn(properties, key)) {
        const found = visit(properties[key], member, at, strict);
        if (found !== undefined) return found;
      } else if (isObject(node.additionalProperties)) {
        const found = visit(node.additionalProperties, member, at, strict);
        if (found !== undefined) return found;
      } else if (isClosed(node, strict)) {
        return { path: at, reason: `${show(key)} is not declared in the schema` };
      }
    }
    return undefined;
  };

  const visitItems = (node: JsonObject, part: readonly Json[], path: JsonPath, strict: boolean) => {
    const first = listOf(node.prefixItems);
    for (const [index, item] of part.entries()) {
      const found = visit(index < first.length ? first[index] : node.items, item, [...path, index], strict);
      if (found !== undefined) return found;
    }
    return undefined;
  };

  const visitComposition = (node: JsonObject, part: Json, path: JsonPath) => {
    const every = typeof node.$ref === 'string' ? [resolveLocalRef(schema, node.$ref)] : [];
    for (const item of [...every, ...listOf(node.allOf)]) {
      const found = visit(item, part, path, false);
      if (found !== undefined) return found;
    }
    for (const choices of [listOf(node.anyOf), listOf(node.oneOf)]) {
      if (choices.length > 0 && choices.every((it) => visit(it, part, path, false) !== undefined))
        return { path, reason: `${partName(path)} matches none of the alternatives` };
    }
    return undefined;
  };

  return visit(schema, value, [], closed);
}

/** Whether undeclared members are rejected. With composition, another schema may declare them. */
function isClosed(node: JsonObject, strict: boolean): boolean {
  if (node.patternProperties !== undefined || node.unevaluatedProperties !== undefined) return false;
  if (node.additionalProperties !== undefined) return node.additionalProperties === false;
  return strict && isObject(node.properties) && !usesComposition(node);
}

function hasDefault(node: JsonObject, name: string): boolean {
  const properties = isObject(node.properties) ? node.properties : {};
  const member = Object.hasOwn(properties, name) ? properties[name] : undefined;
  return isObject(member) && Object.hasOwn(member, 'default');
}

function checkValue(
  node: JsonObject,
  part: Json,
  path: JsonPath,
  same: (a: Json, b: Json) => boolean,
): Mismatch | undefined {
  const mismatch = (reason: string): Mismatch => ({ path, reason: `${partName(path)} ${reason}` });
  const types = [node.type].flat().filter((it) => typeof it === 'string');
  if (types.length > 0 && !types.some((type) => isOfType(part, type)))
    return mismatch(`is ${show(part)}, not of type ${types.join(' or ')}`);
  if (Array.isArray(node.enum) && !node.enum.some((it) => same(it, part)))
    return mismatch(`is ${show(part)}, which is not one of the allowed values`);
  if (Object.hasOwn(node, 'const') && !same(node.const as Json, part))
    return mismatch(`is ${show(part)}, not ${show(node.const)}`);
  for (const [keyword, size] of measures(part)) {
    const limit = node[keyword];
    if (typeof limit !== 'number') continue;
    if (keyword.startsWith('min') || keyword === 'exclusiveMinimum') {
      if (size < limit || (keyword.startsWith('exclusive') && size === limit))
        return mismatch(`is below its ${keyword} of ${limit}`);
    } else if (size > limit || (keyword.startsWith('exclusive') && size === limit)) {
      return mismatch(`is above its ${keyword} of ${limit}`);
    }
  }
  return undefined;
}

function measures(part: Json): (readonly [string, number])[] {
  if (typeof part === 'number') {
    const keywords = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'];
    return keywords.map((keyword) => [keyword, part]);
  }
  const [size, unit] =
    typeof part === 'string'
      ? [[...part].length, 'Length']
      : Array.isArray(part)
        ? [part.length, 'Items']
        : [isObject(part) ? Object.keys(part).length : -1, 'Properties'];
  return size < 0
    ? []
    : [
        [`min${unit}`, size],
        [`max${unit}`, size],
      ];
}

function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

/** The name of a path inside the value; the value itself is "it". */
function partName(path: JsonPath): string {
  return path.length === 0 ? 'it' : show(path.join('.'));
}
