import type { Json, JsonObject } from '../../model/json.js';

/** Describes a value once: as a TypeScript type, as a JSON Schema for documents, and as a check. */
export interface Shape<T> {
  readonly schema: JsonObject;
  /** What is wrong with a value; undefined if it fits. `at` names the value, such as `audience.kind`. */
  problem(value: unknown, at: string): string | undefined;
  /** The member may be absent. */
  readonly isOptional?: boolean;
  /** The operation checks the member, also whether it is present. */
  readonly isUnchecked?: boolean;
  /** Never set; carries the type. */
  readonly type?: T;
}

/** The type that a shape describes. */
export type TypeOf<S> = S extends Shape<infer T> ? T : never;

type Members = Readonly<Record<string, Shape<unknown>>>;
type OptionalKeys<M extends Members> = {
  [K in keyof M]: M[K] extends { readonly isOptional: true } ? K : never;
}[keyof M];
type ObjectOf<M extends Members> = {
  readonly [K in Exclude<keyof M, OptionalKeys<M>>]: TypeOf<M[K]>;
} & { readonly [K in OptionalKeys<M>]?: TypeOf<M[K]> | undefined };

/** A value of one kind; `what` completes "must be". */
export function simple<T>(schema: JsonObject, what: string, isValid: (value: unknown) => boolean): Shape<T> {
  return {
    schema,
    problem: (value, at) => (isValid(value) ? undefined : `${at} must be ${what}`),
  };
}

/** A text that is not empty. */
export function text(description?: string): Shape<string> {
  const schema = { type: 'string', minLength: 1, ...described(description) };
  return simple(schema, 'a non-empty string', (it) => typeof it === 'string' && it !== '');
}

/** A text that may be empty. */
export function anyText(description?: string): Shape<string> {
  return simple({ type: 'string', ...described(description) }, 'a string', (it) => typeof it === 'string');
}

/** A text that is accepted and never returned. */
export function secretText(description?: string): Shape<string> {
  const { schema, problem } = text(description);
  return { schema: { ...schema, writeOnly: true }, problem };
}

/** Like `secretText`, but the operation itself rejects an empty text. */
export function anySecretText(description?: string): Shape<string> {
  const { schema, problem } = anyText(description);
  return { schema: { ...schema, writeOnly: true }, problem };
}

/** An ISO 8601 time in UTC. */
export function isoTime(description?: string): Shape<string> {
  const schema = { type: 'string', format: 'date-time', ...described(description) };
  return simple(schema, 'a time', (it) => typeof it === 'string');
}

export function boolean(description?: string): Shape<boolean> {
  return simple(
    { type: 'boolean', ...described(description) },
    'true or false',
    (it) => typeof it === 'boolean',
  );
}

export function number(description?: string): Shape<number> {
  return simple({ type: 'number', ...described(description) }, 'a number', (it) => Number.isFinite(it));
}

export interface IntegerBounds {
  readonly minimum: number;
  readonly maximum: number;
}

export function integer(description?: string, bounds?: IntegerBounds): Shape<number> {
  const isInside = (it: number) => bounds === undefined || (it >= bounds.minimum && it <= bounds.maximum);
  return simple(
    { type: 'integer', ...bounds, ...described(description) },
    bounds === undefined ? 'an integer' : `an integer from ${bounds.minimum} to ${bounds.maximum}`,
    (it) => Number.isInteger(it) && isInside(it as number),
  );
}

/** Milliseconds since 1970. */
export function timestamp(description = 'Milliseconds since 1970.'): Shape<number> {
  return number(description);
}

export function oneOf<const V extends readonly string[]>(values: V, description?: string): Shape<V[number]> {
  const schema = { enum: [...values], ...described(description) };
  return simple(schema, `one of ${values.join(', ')}`, (it) => values.includes(it as string));
}

/** Exactly one value. */
export function exactly<const V extends string | boolean>(value: V): Shape<V> {
  return simple({ const: value }, JSON.stringify(value), (it) => it === value);
}

/** Any JSON value. */
export function json(description?: string): Shape<Json> {
  return { schema: described(description), problem: () => undefined };
}

/** A member that the operation checks itself; it may even be absent. */
export function unchecked<T>(description?: string): Shape<T> {
  return { schema: described(description), isUnchecked: true, problem: () => undefined };
}

/** Any JSON object; its members are described elsewhere. */
export function jsonObject(description?: string): Shape<JsonObject> {
  const schema = { type: 'object', ...described(description) };
  return simple(schema, 'an object', (it) => typeof it === 'object' && it !== null && !Array.isArray(it));
}

/** A value whose members are described elsewhere, such as the model of a package. */
export function open<T>(description: string): Shape<T> {
  const { schema, problem } = jsonObject(description);
  return { schema, problem };
}

/** No result. */
export function nothing(): Shape<void> {
  return simple({ type: 'null' }, 'absent', (it) => it === undefined || it === null);
}

export function arrayOf<T>(item: Shape<T>, description?: string): Shape<readonly T[]> {
  return {
    schema: { type: 'array', items: item.schema, ...described(description) },
    problem(value, at) {
      if (!Array.isArray(value)) return `${at} must be a list`;
      for (const [index, it] of value.entries()) {
        const found = item.problem(it, `${at}[${index}]`);
        if (found !== undefined) return found;
      }
      return undefined;
    },
  };
}

/** An object whose members have any names. */
export function recordOf<T>(item: Shape<T>, description?: string): Shape<Readonly<Record<string, T>>> {
  return {
    schema: { type: 'object', additionalProperties: item.schema, ...described(description) },
    problem(value, at) {
      if (typeof value !== 'object' || value === null || Array.isArray(value))
        return `${at} must be an object`;
      for (const [name, it] of Object.entries(value)) {
        const found = item.problem(it, `${at}[${JSON.stringify(name.slice(0, 80))}]`);
        if (found !== undefined) return found;
      }
      return undefined;
    },
  };
}

export function nullable<T>(shape: Shape<T>): Shape<T | null> {
  return {
    schema: { anyOf: [shape.schema, { type: 'null' }] },
    problem: (value, at) => (value === null ? undefined : shape.problem(value, at)),
  };
}

/** A member that may be absent. */
export function optional<T>(shape: Shape<T>): Shape<T> & { readonly isOptional: true } {
  return {
    schema: shape.schema,
    isOptional: true,
    problem: (value, at) => (value === undefined ? undefined : shape.problem(value, at)),
  };
}

/** An object with exactly these members. */
export function object<M extends Members>(members: M, description?: string): Shape<ObjectOf<M>> {
  const names = Object.keys(members);
  const required = names.filter((it) => members[it]?.isOptional !== true);
  return {
    schema: {
      type: 'object',
      ...(required.length === 0 ? {} : { required }),
      additionalProperties: false,
      properties: Object.fromEntries(names.map((it) => [it, members[it]?.schema ?? {}])),
      ...described(description),
    },
    problem(value, at) {
      if (typeof value !== 'object' || value === null || Array.isArray(value))
        return `${at === '' ? 'the input' : at} must be an object`;
      const given = value as Readonly<Record<string, unknown>>;
      const path = (name: string) => (at === '' ? name : `${at}.${name}`);
      const missing = required.find((it) => given[it] === undefined && members[it]?.isUnchecked !== true);
      if (missing !== undefined) return `${path(missing)} is required`;
      const unknown = Object.keys(given).find((it) => given[it] !== undefined && !names.includes(it));
      if (unknown !== undefined)
        return `${path(unknown.slice(0, 80))} is unknown; known are ${names.join(', ') || 'none'}`;
      for (const name of names) {
        const found = members[name]?.problem(given[name], path(name));
        if (found !== undefined) return found;
      }
      return undefined;
    },
  };
}

/** One of several shapes. */
export function union<S extends readonly Shape<unknown>[]>(
  shapes: S,
  what: string,
): Shape<TypeOf<S[number]>> {
  return {
    schema: { anyOf: shapes.map((it) => it.schema) },
    problem: (value, at) =>
      shapes.some((it) => it.problem(value, at) === undefined) ? undefined : `${at} must be ${what}`,
  };
}

function described(description: string | undefined): JsonObject {
  return description === undefined ? {} : { description };
}
