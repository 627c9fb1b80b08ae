import { isObject, type Json, type JsonObject } from './json.js';

/** Keywords whose values are data, not schemas. */
const dataKeywords = new Set(['const', 'enum', 'default', 'examples']);
/** Keywords whose values map names to schemas. */
const nameMaps = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
  'dependencies',
]);

/**
 * A schema for use inside another one, at the given JSON pointer. References to its own parts start there; a part with an
 * `$id` is a document of its own and stays as it is. The dialect is left out: only the outer schema can name it.
 */
export function embeddedSchema(schema: JsonObject, pointer: string): JsonObject {
  const { $schema: _, ...rest } = schema;
  return rebased(rest, pointer) as JsonObject;
}

/** The dialect of a schema, for the outer one. */
export function dialectOf({ $schema }: JsonObject): JsonObject {
  return typeof $schema === 'string' ? { $schema } : {};
}

function rebased(value: Json, pointer: string): Json {
  if (Array.isArray(value)) return value.map((it) => rebased(it, pointer));
  if (!isObject(value)) return value;
  if (typeof value.$id === 'string' && !value.$id.startsWith('#')) return value;
  return mapped(value, (member, keyword) => {
    if (dataKeywords.has(keyword)) return member;
    if ((keyword === '$ref' || keyword === '$dynamicRef') && typeof member === 'string')
      return member === '#' || member.startsWith('#/') ? `#${pointer}${member.slice(1)}` : member;
    if (nameMaps.has(keyword) && isObject(member)) return mapped(member, (it) => rebased(it, pointer));
    return rebased(member, pointer);
  });
}

function mapped(value: JsonObject, change: (member: Json, key: string) => Json): JsonObject {
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, change(member, key)]));
}
