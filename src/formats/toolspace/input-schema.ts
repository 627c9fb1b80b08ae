// Follows a token's path into the JSON Schema of an input, without a validator. Where composition makes the
// answer depend on the value, it errs on the side of "may be there".
import { isObject, type Json, type JsonObject } from '../../model/json.js';

export type Presence =
  /** Always there once the input is valid: required, or with a default. */
  | 'certain'
  /** Declared, and it may be left out. */
  | 'optional'
  /** Not declared, and not refused either. */
  | 'possible'
  | 'unknown';

export interface Lookup {
  readonly presence: Presence;
  /** Names that stand where the path goes wrong. */
  readonly known: readonly string[];
}

/** A schema with composition can be walked in endless ways; no honest one needs more views than this. */
const maxViews = 64;

export function lookUp(schema: JsonObject, path: readonly string[]): Lookup {
  let views = viewsOf(schema, schema);
  let presence: Presence = 'certain';
  for (const [depth, step] of path.entries()) {
    if (!views.complete) return { presence: 'possible', known: [] };
    const found = member(views.list, step);
    if (found.schemas.length === 0) {
      const open = found.open || (depth > 0 && !views.list.some(describesMembers));
      return { presence: open ? 'possible' : 'unknown', known: found.known };
    }
    if (!found.certain) presence = 'optional';
    views = viewsOf(schema, { allOf: found.schemas });
  }
  return { presence, known: [] };
}

/** Names of the members that the schema declares at its top. */
export function declaredMembers(schema: JsonObject): readonly string[] {
  return member(viewsOf(schema, schema).list, '').known;
}

interface View {
  readonly schema: JsonObject;
  /** False behind anyOf, oneOf, then and else. */
  readonly always: boolean;
}

function viewsOf(root: JsonObject, start: JsonObject): { list: readonly View[]; complete: boolean } {
  const list: View[] = [];
  let complete = true;
  const queue: { schema: Json | undefined; always: boolean }[] = [{ schema: start, always: true }];
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    const { schema, always } = next;
    if (!isObject(schema)) continue;
    if (list.length >= maxViews) return { list, complete: false };
    list.push({ schema, always });
    if (typeof schema.$ref === 'string') {
      const target = resolve(root, schema.$ref);
      if (target === undefined) complete = false;
      else queue.push({ schema: target, always });
    }
    if (schema.$dynamicRef !== undefined) complete = false;
    for (const item of listOf(schema.allOf)) queue.push({ schema: item, always });
    for (const item of [...listOf(schema.anyOf), ...listOf(schema.oneOf), schema.then, schema.else])
      queue.push({ schema: item, always: false });
    if (isObject(schema.dependentSchemas)) {
      for (const item of Object.values(schema.dependentSchemas)) queue.push({ schema: item, always: false });
    }
  }
  return { list, complete };
}

interface Member {
  readonly schemas: readonly Json[];
  readonly certain: boolean;
  readonly open: boolean;
  readonly known: readonly string[];
}

function member(views: readonly View[], key: string): Member {
  const schemas: Json[] = [];
  const known: string[] = [];
  let certain = false;
  let open = false;
  for (const { schema, always } of views) {
    if (isObject(schema.properties)) {
      known.push(...Object.keys(schema.properties));
      if (Object.hasOwn(schema.properties, key)) {
        const found = schema.properties[key] as Json;
        schemas.push(found);
        if (isObject(found) && Object.hasOwn(found, 'default')) certain = true;
      }
    }
    if (always && listOf(schema.required).includes(key)) certain = true;
    if (permits(schema.additionalProperties) || permits(schema.unevaluatedProperties)) open = true;
    if (isObject(schema.patternProperties)) open = true;
    if (/^\d{1,6}$/.test(key) && mayBe(schema, 'array')) {
      const item = listOf(schema.prefixItems)[Number(key)] ?? schema.items;
      if (item !== undefined) schemas.push(item);
    }
  }
  return { schemas, certain, open, known };
}

/** A member that is said to be text or a number has no members; one of which nothing is said may have any. */
function describesMembers({ schema }: View): boolean {
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
export function resolve(root: JsonObject, reference: string): JsonObject | undefined {
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
