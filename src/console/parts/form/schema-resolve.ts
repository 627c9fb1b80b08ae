// JSON Schemas without references, as far as a form needs it.
import { isObject, type Json, type JsonObject, type JsonSchema } from '../../../model/json.js';

const maxReferences = 32;

/** The schema without references, and with the members of `allOf`. */
export function resolved(root: JsonSchema, schema: JsonSchema): JsonObject {
  let current = schema;
  for (let count = 0; count < maxReferences; count++) {
    if (!isObject(current)) return current === false ? { not: {} } : {};
    const { $ref, allOf, ...rest } = current as JsonObject & { $ref?: Json; allOf?: Json };
    if (typeof $ref === 'string') {
      const target = referenced(root, $ref);
      // What cannot be found is not shown as a form.
      if (target === undefined) return { ...rest, not: {} };
      current = allOf === undefined ? merged(target, rest) : merged(merged(target, rest), { allOf });
    } else if (Array.isArray(allOf)) {
      current = allOf.reduce<JsonSchema>((sum, it) => merged(sum, it as JsonSchema), rest);
    } else return current;
  }
  return { not: {} };
}

function referenced(root: JsonSchema, reference: string): JsonSchema | undefined {
  if (reference === '#') return root;
  if (!reference.startsWith('#/')) return undefined;
  let at: Json | undefined = root;
  for (const step of reference.slice(2).split('/')) {
    const name = decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~');
    at = Array.isArray(at)
      ? at[Number(name)]
      : isObject(at) && Object.hasOwn(at, name)
        ? at[name]
        : undefined;
  }
  return at as JsonSchema | undefined;
}

/** Both schemas at once, as far as a form needs it. */
export function merged(one: JsonSchema, other: JsonSchema): JsonSchema {
  if (one === false || other === false) return false;
  if (one === true) return other;
  if (other === true) return one;
  const properties: Record<string, JsonSchema> = { ...(one.properties as object) };
  for (const [name, it] of Object.entries((other.properties ?? {}) as Record<string, JsonSchema>))
    properties[name] = Object.hasOwn(properties, name) ? { allOf: [properties[name] as JsonObject, it] } : it;
  const required = [...namesIn(one.required), ...namesIn(other.required)];
  const type = commonType(one.type, other.type);
  const enums = [one.enum, other.enum].filter(Array.isArray) as Json[][];
  return {
    ...one,
    ...other,
    ...(type === undefined ? {} : { type }),
    ...(Object.keys(properties).length === 0 ? {} : { properties }),
    ...(required.length === 0 ? {} : { required: [...new Set(required)] }),
    ...(enums.length < 2
      ? {}
      : { enum: (enums[0] as Json[]).filter((it) => enums[1]?.some((same) => isSame(it, same))) }),
    ...(one.additionalProperties === false ? { additionalProperties: false } : {}),
    ...(one.allOf === undefined || other.allOf === undefined
      ? {}
      : { allOf: [...(one.allOf as Json[]), ...(other.allOf as Json[])] }),
  };
}

function commonType(one: Json | undefined, other: Json | undefined): Json | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  const [left, right] = [[one].flat(), [other].flat()] as [Json[], Json[]];
  const common = left.filter((it) => right.includes(it) || (it === 'integer' && right.includes('number')));
  if (left.includes('number') && right.includes('integer')) common.push('integer');
  return common.length === 1 ? common[0] : common;
}

export function namesIn(value: Json | undefined): readonly string[] {
  return Array.isArray(value) ? value.filter((it) => typeof it === 'string') : [];
}

export function isSame(one: Json, other: Json): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
