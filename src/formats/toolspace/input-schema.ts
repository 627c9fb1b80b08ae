// Follows a token's path into the JSON Schema of an input, without a validator. If composition makes the result depend
// on the value, the result is "possible" instead of an error.
import { isObject, type Json, type JsonObject } from '../../model/json.js';

export type Presence =
  /** Every valid input has it: required, or with a default. */
  | 'always'
  /** Declared, but not required. */
  | 'optional'
  /** Not declared, but not rejected either. */
  | 'possible'
  /** Not declared, and rejected. */
  | 'unknown';

export interface InputLookup {
  readonly presence: Presence;
  /** The names that exist where the path fails. */
  readonly known: readonly string[];
}

/** Limits the subschemas per step, because references can form cycles. */
const maxSubschemas = 64;

export function lookUpInput(schema: JsonObject, path: readonly string[]): InputLookup {
  let subschemas = subschemasOf(schema, schema);
  let presence: Presence = 'always';
  for (const [depth, step] of path.entries()) {
    if (!subschemas.complete) return { presence: 'possible', known: [] };
    const found = member(subschemas.list, step);
    if (found.schemas.length === 0) {
      const open = found.open || (depth > 0 && !subschemas.list.some(describesMembers));
      return { presence: open ? 'possible' : 'unknown', known: found.known };
    }
    if (!found.always) presence = 'optional';
    subschemas = subschemasOf(schema, { allOf: found.schemas });
  }
  return { presence, known: [] };
}

/** Names of the members that the schema declares at its top level. */
export function declaredMembers(schema: JsonObject): readonly string[] {
  return member(subschemasOf(schema, schema).list, '').known;
}

interface Subschema {
  readonly schema: JsonObject;
  /** False inside anyOf, oneOf, then and else. */
  readonly unconditional: boolean;
}

function subschemasOf(
  root: JsonObject,
  start: JsonObject,
): { list: readonly Subschema[]; complete: boolean } {
  const list: Subschema[] = [];
  let complete = true;
  const queue: { schema: Json | undefined; unconditional: boolean }[] = [
    { schema: start, unconditional: true },
  ];
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    const { schema, unconditional } = next;
    if (!isObject(schema)) continue;
    if (list.length >= maxSubschemas) return { list, complete: false };
    list.push({ schema, unconditional });
    if (typeof schema.$ref === 'string') {
      const target = resolveLocalRef(root, schema.$ref);
      if (target === undefined) complete = false;
      else queue.push({ schema: target, unconditional });
    }
    if (schema.$dynamicRef !== undefined) complete = false;
    for (const item of listOf(schema.allOf)) queue.push({ schema: item, unconditional });
    for (const item of [...listOf(schema.anyOf), ...listOf(schema.oneOf), schema.then, schema.else])
      queue.push({ schema: item, unconditional: false });
    if (isObject(schema.dependentSchemas)) {
      for (const item of Object.values(schema.dependentSchemas))
        queue.push({ schema: item, unconditional: false });
    }
  }
  return { list, complete };
}

interface Member {
  readonly schemas: readonly Json[];
  readonly always: boolean;
  readonly open: boolean;
  readonly known: readonly string[];
}

function member(subschemas: readonly Subschema[], key: string): Member {
  const schemas: Json[] = [];
  const known: string[] = [];
  let always = false;
  let open = false;
  for (const { schema, unconditional } of subschemas) {
    if (isObject(schema.properties)) {
      known.push(...Object.keys(schema.properties));
      if (Object.hasOwn(schema.properties, key)) {
        const found = schema.properties[key] as Json;
        schemas.push(found);
        if (isObject(found) && Object.hasOwn(found, 'default')) always = true;
      }
    }
    if (unconditional && listOf(schema.required).includes(key)) always = true;
    if (permits(schema.additionalProperties) || permits(schema.unevaluatedProperties)) open = true;
    if (isObject(schema.patternProperties)) open = true;
    if (/^\d{1,6}$/.test(key) && mayBe(schema, 'array')) {
      const item = listOf(schema.prefixItems)[Number(key)] ?? schema.items;
      if (item !== undefined) schemas.push(item);
    }
  }
  return { schemas, always, open, known };
}

/** Whether the schema defines which members exist. A string or number has none; without a type, any may exist. */
function describesMembers({ schema }: Subschema): boolean {
  return isObject(schema.properties) || (schema.type !== undefined && !mayBe(schema, 'object'));
}

function mayBe(schema: JsonObject, type: string): boolean {
  return schema.type === undefined || [schema.type].flat().includes(type);
}

function permits(keyword: Json | undefined): boolean {
  return keyword === true || isObject(keyword);
}

function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

/** The target of a reference inside the schema; undefined when it is not a plain pointer to an object. */
export function resolveLocalRef(root: JsonObject, reference: string): JsonObject | undefined {
  if (reference === '#') return root;
  if (!reference.startsWith('#/')) return undefined;
  let current: Json | undefined = root;
  for (const raw of reference.slice(2).split('/')) {
    const step = raw.replaceAll('~1', '/').replaceAll('~0', '~');
    if (Array.isArray(current)) current = current[Number(step)];
    else if (isObject(current) && Object.hasOwn(current, step)) current = current[step];
    else return undefined;
  }
  return isObject(current) ? current : undefined;
}
