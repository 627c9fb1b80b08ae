import { isObject, type Json, type JsonObject } from '../../model/json.js';

/** Keywords by which other schemas may name members too. */
const composing = ['$ref', '$dynamicRef', 'allOf', 'anyOf', 'oneOf', 'if', 'dependentSchemas'];

/** Whether members can be named elsewhere than in the schema's own properties. */
export function composes(schema: JsonObject): boolean {
  return composing.some((keyword) => schema[keyword] !== undefined);
}

/**
 * The schema of an input as validators must read it: the format refuses members that are not named unless
 * the schema permits them, while JSON Schema lets them pass.
 */
export function closed(schema: JsonObject): JsonObject {
  const keyword = composes(schema) ? 'unevaluatedProperties' : 'additionalProperties';
  const own = saysOthers(schema) ? {} : { [keyword]: false };
  return { ...schema, ...closedMembers(schema), type: 'object', ...own };
}

function closedPart(part: Json): Json {
  if (!isObject(part)) return part;
  const shut = isObject(part.properties) && !saysOthers(part) && !composes(part);
  return { ...part, ...closedMembers(part), ...(shut ? { additionalProperties: false } : {}) };
}

function closedMembers({ properties, items, prefixItems }: JsonObject): JsonObject {
  return {
    ...(isObject(properties)
      ? { properties: Object.fromEntries(Object.entries(properties).map(([k, v]) => [k, closedPart(v)])) }
      : {}),
    ...(isObject(items) ? { items: closedPart(items) } : {}),
    ...(Array.isArray(prefixItems) ? { prefixItems: prefixItems.map(closedPart) } : {}),
  };
}

function saysOthers(schema: JsonObject): boolean {
  return schema.additionalProperties !== undefined || schema.unevaluatedProperties !== undefined;
}
