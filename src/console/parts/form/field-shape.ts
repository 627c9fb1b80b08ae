// What a form shows for a JSON Schema. A form only helps to write a value: the host validates it.
import type { Json, JsonObject, JsonSchema } from '../../../model/json.js';
import { merged, namesIn, resolved } from './schema-resolve.js';

export interface Member {
  readonly name: string;
  readonly schema: JsonSchema;
  readonly isRequired: boolean;
}

export interface Branch {
  readonly title: string;
  readonly schema: JsonSchema;
}

/** `json`: what a form cannot show. */
export type FieldShape = { readonly schema: JsonObject } & (
  | { readonly kind: 'text' }
  | { readonly kind: 'number' }
  | { readonly kind: 'boolean' }
  | { readonly kind: 'null' }
  | { readonly kind: 'json' }
  | { readonly kind: 'enum'; readonly values: readonly Json[]; readonly titles: readonly string[] }
  | { readonly kind: 'choice'; readonly branches: readonly Branch[] }
  | { readonly kind: 'list'; readonly items: JsonSchema; readonly first: readonly JsonSchema[] }
  /** `more`: the schema of other members; false: there are none. */
  | { readonly kind: 'object'; readonly members: readonly Member[]; readonly more: JsonSchema }
);

export function fieldShape(root: JsonSchema, given: JsonSchema): FieldShape {
  const schema = resolved(root, given);
  if (Object.hasOwn(schema, 'const')) return enumShape(schema, [schema.const as Json]);
  if (Array.isArray(schema.enum)) return enumShape(schema, schema.enum);
  const { oneOf, anyOf, ...base } = schema;
  for (const branches of [oneOf, anyOf])
    if (Array.isArray(branches) && branches.length > 0) return choiceShape(root, schema, base, branches);
  if (schema.not !== undefined && Object.keys(schema.not as object).length === 0)
    return { kind: 'json', schema };
  const type = schema.type ?? impliedType(schema);
  if (Array.isArray(type)) {
    const [first] = type;
    if (type.length === 1) return fieldShape(root, { ...schema, type: first as string });
    const branches = type.map((it) => ({ title: wordOf(String(it)), schema: ofType(schema, String(it)) }));
    return branches.length === 0 ? { kind: 'json', schema } : { kind: 'choice', schema, branches };
  }
  switch (type) {
    case 'string':
      return { kind: 'text', schema };
    case 'integer':
    case 'number':
      return { kind: 'number', schema };
    case 'boolean':
    case 'null':
      return { kind: type, schema };
    case 'array': {
      const first = (Array.isArray(schema.prefixItems) ? schema.prefixItems : []) as JsonSchema[];
      return { kind: 'list', schema, first, items: (schema.items ?? true) as JsonSchema };
    }
    case 'object': {
      const required = namesIn(schema.required);
      const known = (schema.properties ?? {}) as Record<string, JsonSchema>;
      const members = Object.entries(known)
        .filter(([, it]) => it !== false)
        .map(([name, it]) => ({ name, schema: it, isRequired: required.includes(name) }));
      for (const name of required)
        if (!Object.hasOwn(known, name)) members.push({ name, schema: true, isRequired: true });
      const patterns = Object.values((schema.patternProperties ?? {}) as Record<string, JsonSchema>);
      const isClosed = schema.additionalProperties === false || schema.unevaluatedProperties === false;
      const more = isClosed ? (patterns[0] ?? false) : ((schema.additionalProperties ?? true) as JsonSchema);
      return { kind: 'object', schema, members, more };
    }
    default:
      return { kind: 'json', schema };
  }
}

/** The rest of a schema for one of its types. Words about the whole stay with the whole. */
function ofType({ title, description, default: _, ...schema }: JsonObject, type: string): JsonObject {
  return type === 'null' ? { type } : { ...schema, type };
}

function enumShape(schema: JsonObject, values: readonly Json[], titles: readonly string[] = []): FieldShape {
  return {
    ...{ kind: 'enum', schema, values },
    titles: values.map((it, index) => titles[index] ?? (typeof it === 'string' ? it : JSON.stringify(it))),
  };
}

function choiceShape(
  root: JsonSchema,
  schema: JsonObject,
  base: JsonObject,
  given: readonly Json[],
): FieldShape {
  const { title: _, description: _words, default: _default, ...limits } = base;
  const all = given
    .map((it) => resolved(root, it as JsonSchema))
    .map((it) => ({ own: it, schema: merged(limits, it) }));
  if (all.every(({ own }) => Object.hasOwn(own, 'const')))
    return enumShape(
      schema,
      all.map(({ own }) => own.const as Json),
      all.map(({ own }) => (typeof own.title === 'string' ? own.title : wordsOf(own.const as Json))),
    );
  // Alternatives that only restrict what is already described, such as "one of these members".
  const isOnlyLimit = all.every(({ own }) => Object.keys(own).every((it) => limitKeywords.has(it)));
  if (isOnlyLimit && (base.type !== undefined || base.properties !== undefined))
    return fieldShape(root, base);
  return {
    ...{ kind: 'choice', schema },
    branches: all.map((it, index) => ({
      schema: it.schema,
      title: typeof it.own.title === 'string' ? it.own.title : branchTitle(root, it.schema, index),
    })),
  };
}

const limitKeywords: ReadonlySet<string> = new Set([
  'required',
  'not',
  'minProperties',
  'maxProperties',
  'minLength',
  'maxLength',
  'pattern',
  'format',
  'minimum',
  'maximum',
]);

function wordsOf(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function branchTitle(root: JsonSchema, schema: JsonSchema, index: number): string {
  const shape = fieldShape(root, schema);
  if (shape.kind === 'object') {
    const fixed = shape.members.flatMap(({ name, schema: member }) => {
      const own = resolved(root, member);
      return Object.hasOwn(own, 'const') ? [`${name}: ${wordsOf(own.const as Json)}`] : [];
    });
    const names = shape.members.filter((it) => it.isRequired).map((it) => it.name);
    return fixed[0] ?? (names.length > 0 ? `with ${names.slice(0, 3).join(', ')}` : `object ${index + 1}`);
  }
  if (shape.kind === 'enum') return shape.titles.slice(0, 3).join(' or ');
  return shape.kind === 'json' ? `choice ${index + 1}` : wordOfShape(shape);
}

function impliedType(schema: JsonObject): string | undefined {
  if (schema.properties !== undefined || schema.additionalProperties !== undefined) return 'object';
  if (schema.items !== undefined || schema.prefixItems !== undefined) return 'array';
  if (['minLength', 'maxLength', 'pattern', 'format'].some((it) => schema[it] !== undefined)) return 'string';
  return ['minimum', 'maximum', 'multipleOf'].some((it) => schema[it] !== undefined) ? 'number' : undefined;
}

function wordOf(type: string): string {
  return { string: 'text', array: 'list', boolean: 'yes or no', integer: 'whole number' }[type] ?? type;
}

export function wordOfShape(shape: FieldShape): string {
  if (shape.kind === 'number') return shape.schema.type === 'integer' ? 'whole number' : 'number';
  return (
    { text: 'text', boolean: 'yes or no', list: 'list', json: 'JSON', enum: 'choice' }[
      shape.kind as string
    ] ?? shape.kind
  );
}
