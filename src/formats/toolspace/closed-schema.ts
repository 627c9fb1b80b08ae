import { isObject, type Json, type JsonObject } from '../../model/json.js';

/** Keywords that bring in other schemas, which may declare more members. */
const compositionKeywords = ['$ref', '$dynamicRef', 'allOf', 'anyOf', 'oneOf', 'if', 'dependentSchemas'];

/** Whether members can be declared outside the schema's own properties. */
export function usesComposition(schema: JsonObject): boolean {
  return compositionKeywords.some((keyword) => schema[keyword] !== undefined);
}

/**
 * An input schema that rejects undeclared members unless it explicitly allows them. The format requires this; plain
 * JSON Schema allows them by default.
 */
export function closeSchema(schema: JsonObject): JsonObject {
  const keyword = usesComposition(schema) ? 'unevaluatedProperties' : 'additionalProperties';
  const own = setsAdditional(schema) ? {} : { [keyword]: false };
  return { ...schema, ...closeMembers(schema), type: 'object', ...own };
}

function closeSubschema(part: Json): Json {
  if (!isObject(part)) return part;
  const close = isObject(part.properties) && !setsAdditional(part) && !usesComposition(part);
  return { ...part, ...closeMembers(part), ...(close ? { additionalProperties: false } : {}) };
}

function closeMembers({ properties, items, prefixItems }: JsonObject): JsonObject {
  return {
    ...(isObject(properties)
      ? { properties: Object.fromEntries(Object.entries(properties).map(([k, v]) => [k, closeSubschema(v)])) }
      : {}),
    ...(isObject(items) ? { items: closeSubschema(items) } : {}),
    ...(Array.isArray(prefixItems) ? { prefixItems: prefixItems.map(closeSubschema) } : {}),
  };
}

function setsAdditional(schema: JsonObject): boolean {
  return schema.additionalProperties !== undefined || schema.unevaluatedProperties !== undefined;
}
