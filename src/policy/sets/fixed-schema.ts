import { isObject, type Json, type JsonObject, type JsonSchema, valueAt } from '../../model/json.js';

/** What is wrong with a value, as sentences; empty if the schema accepts it. */
export type CheckValue = (schema: JsonSchema, value: Json) => readonly string[];

interface Reduction {
  readonly root: JsonObject;
  readonly fixed: JsonObject;
  readonly check: CheckValue;
  /** References on the way, so that a circle of them ends. */
  readonly refs: readonly string[];
}

const definitions = ['$defs', 'definitions'];

/**
 * The schema of the other arguments: it accepts them exactly if the whole schema accepts them together with the fixed
 * ones. False: it accepts the fixed ones in no case. Everything that is not about them stays as it is, in its order.
 */
export function withoutFixed(schema: JsonSchema, fixed: JsonObject, check: CheckValue): JsonSchema {
  if (!isObject(schema)) return schema;
  return reduce(schema, { root: schema, fixed, check, refs: [] });
}

function reduce(schema: JsonSchema, context: Reduction): JsonSchema {
  if (!isObject(schema)) return schema;
  const { fixed } = context;
  const isFixed = (name: string) => Object.hasOwn(fixed, name);
  const next: Record<string, Json> = {};
  /** What also holds now, because the fixed arguments make a condition true. */
  const also: JsonSchema[] = [];
  const required: string[] = [];
  for (const [key, value] of Object.entries(schema)) {
    switch (key) {
      case 'properties': {
        if (!isObject(value)) break;
        for (const name of Object.keys(value).filter(isFixed))
          if (problemsOf(value[name] as JsonSchema, fixed[name] as Json, context).length > 0) return false;
        next[key] = without(value, isFixed);
        continue;
      }
      case 'required':
        required.push(...strings(value).filter((it) => !isFixed(it)));
        next[key] = [];
        continue;
      case 'dependentRequired': {
        if (!isObject(value)) break;
        for (const name of Object.keys(value).filter(isFixed))
          required.push(...strings(value[name] as Json).filter((it) => !isFixed(it)));
        const rest = Object.entries(without(value, isFixed));
        next[key] = Object.fromEntries(
          rest.map(([name, it]) => [name, strings(it).filter((other) => !isFixed(other))]),
        );
        continue;
      }
      case 'dependentSchemas': {
        if (!isObject(value)) break;
        for (const name of Object.keys(value).filter(isFixed))
          also.push(reduce(value[name] as JsonSchema, context));
        next[key] = mapValues(without(value, isFixed), (it) => reduce(it as JsonSchema, context));
        continue;
      }
      case 'allOf':
        also.push(...schemas(value).map((it) => reduce(it, context)));
        continue;
      case 'anyOf':
      case 'oneOf': {
        const possible = schemas(value)
          .map((it) => reduce(it, context))
          .filter((it) => it !== false);
        if (possible.length === 0) return false;
        next[key] = possible;
        continue;
      }
      case 'not':
        next[key] = reduce(value as JsonSchema, context);
        continue;
      case 'if':
      case 'then':
      case 'else':
        next[key] = reduce(value as JsonSchema, context);
        continue;
      case '$ref': {
        const target = targetOf(value, context);
        if (target === undefined) break;
        const reduced = reduce(target, { ...context, refs: [...context.refs, String(value)] });
        if (JSON.stringify(reduced) === JSON.stringify(target)) break;
        also.push(reduced);
        continue;
      }
      case 'minProperties':
      case 'maxProperties':
        next[key] = Math.max(0, Number(value) - Object.keys(fixed).length);
        if (key === 'maxProperties' && Number(value) < Object.keys(fixed).length) return false;
        continue;
      case 'default':
      case 'examples':
        next[key] = withoutNames(value, isFixed);
        continue;
    }
    next[key] = value;
  }
  if (also.includes(false)) return false;
  const all = also.filter((it) => it !== true);
  if (all.length > 0) next.allOf = all;
  if (required.length > 0) return { ...next, required: [...new Set(required)] };
  const { required: _, ...others } = next;
  return others;
}

function problemsOf(schema: JsonSchema, value: Json, { root, check }: Reduction): readonly string[] {
  if (!isObject(schema)) return schema ? [] : ['is not allowed'];
  const defs = Object.entries(root).filter(([key]) => definitions.includes(key));
  return check({ ...Object.fromEntries(defs), ...schema }, value);
}

/** The schema that a local reference means. */
function targetOf(reference: Json, { root, refs }: Reduction): JsonSchema | undefined {
  if (typeof reference !== 'string' || !reference.startsWith('#') || refs.includes(reference))
    return undefined;
  const steps = reference.slice(1).split('/').slice(1);
  const path = steps.map((it) => it.replaceAll('~1', '/').replaceAll('~0', '~'));
  const found = valueAt(root, path);
  return isObject(found) || typeof found === 'boolean' ? found : undefined;
}

/** What is wrong with fixed arguments of a tool, as sentences; empty if calls with them are possible. */
export function fixedProblems(schema: JsonSchema, fixed: JsonObject, check: CheckValue): string[] {
  if (!isObject(schema)) return schema ? [] : ['it accepts no arguments'];
  const context = { root: schema, fixed, check, refs: [] };
  const inputs = inputSchemas(schema, context);
  const others = ['additionalProperties', 'unevaluatedProperties', 'patternProperties'];
  const isOpen = others.some((it) => Object.hasOwn(schema, it) && schema[it] !== false);
  const problems = Object.entries(fixed).flatMap(([name, value]) => {
    const declared = inputs.get(name) ?? [];
    if (declared.length === 0)
      return isOpen ? [] : [`it has no input ${JSON.stringify(name)}${listOf(inputs)}`];
    // One of several alternatives may accept it.
    const found = declared.map((it) => problemsOf(it, value, context));
    return found.some((it) => it.length === 0) ? [] : [`${name}: ${(found[0] ?? []).join('; ')}`];
  });
  if (problems.length > 0) return problems;
  return withoutFixed(schema, fixed, check) === false
    ? ['its schema accepts these fixed arguments in no case']
    : [];
}

function listOf(inputs: ReadonlyMap<string, unknown>): string {
  return inputs.size === 0 ? '' : `; it has ${[...inputs.keys()].slice(0, 12).join(', ')}`;
}

/** All schemas of each input, also in the alternatives of the schema. */
function inputSchemas(
  schema: JsonSchema,
  context: Reduction,
  found = new Map<string, JsonSchema[]>(),
): Map<string, JsonSchema[]> {
  if (!isObject(schema)) return found;
  const { properties, allOf, anyOf, oneOf, $ref } = schema;
  for (const [name, it] of Object.entries(isObject(properties) ? properties : {}))
    found.set(name, [...(found.get(name) ?? []), it as JsonSchema]);
  const target = $ref === undefined ? undefined : targetOf($ref, context);
  const below = [allOf, anyOf, oneOf, schema.if, schema.then, schema.else].flatMap((it) =>
    Array.isArray(it) ? schemas(it) : isObject(it) ? [it] : [],
  );
  for (const it of below) inputSchemas(it, context, found);
  if (target !== undefined)
    inputSchemas(target, { ...context, refs: [...context.refs, String($ref)] }, found);
  return found;
}

/** The names of the inputs that a schema declares. */
export function namesOfInputs(schema: JsonSchema): ReadonlySet<string> {
  if (!isObject(schema)) return new Set();
  return new Set(inputSchemas(schema, { root: schema, fixed: {}, check: () => [], refs: [] }).keys());
}

function without(value: JsonObject, isLeftOut: (name: string) => boolean): JsonObject {
  return Object.fromEntries(Object.entries(value).filter(([name]) => !isLeftOut(name)));
}

function mapValues(value: JsonObject, change: (it: Json) => Json): JsonObject {
  return Object.fromEntries(Object.entries(value).map(([name, it]) => [name, change(it)]));
}

/** Sample arguments without some names. */
function withoutNames(value: Json, isLeftOut: (name: string) => boolean): Json {
  if (Array.isArray(value)) return value.map((it) => withoutNames(it, isLeftOut));
  return isObject(value) ? without(value, isLeftOut) : value;
}

function strings(value: Json): string[] {
  return Array.isArray(value) ? value.filter((it): it is string => typeof it === 'string') : [];
}

function schemas(value: Json): JsonSchema[] {
  return Array.isArray(value) ? (value as JsonSchema[]) : [];
}
