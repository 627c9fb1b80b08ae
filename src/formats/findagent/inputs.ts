import { isObject, type Json, type JsonObject } from '../../model/json.js';
import { listOf, objectOf } from './manifest-fields.js';

/** The properties that an input schema declares at any of its levels of composition. */
export interface DeclaredInputs {
  readonly names: ReadonlySet<string>;
  /** Properties that every valid input has: required, or with a default. */
  readonly alwaysPresent: ReadonlySet<string>;
}

const maxSteps = 500;

/** Undefined when the schema declares no properties. */
export function declaredInputs(schema: Json | undefined): DeclaredInputs | undefined {
  const names = new Set<string>();
  const alwaysPresent = new Set<string>();
  let steps = 0;
  const visit = (part: Json | undefined, unconditional: boolean): void => {
    if (!isObject(part) || ++steps > maxSteps) return;
    for (const [name, property] of Object.entries(objectOf(part.properties))) {
      names.add(name);
      if (unconditional && isObject(property) && Object.hasOwn(property, 'default')) alwaysPresent.add(name);
    }
    if (unconditional)
      for (const name of listOf(part.required)) if (typeof name === 'string') alwaysPresent.add(name);
    for (const item of listOf(part.allOf)) visit(item, unconditional);
    for (const item of [...listOf(part.anyOf), ...listOf(part.oneOf)]) visit(item, false);
    for (const item of [part.if, part.then, part.else]) visit(item, false);
    for (const item of Object.values(objectOf(part.dependentSchemas))) visit(item, false);
    if (typeof part.$ref === 'string') visit(resolveLocal(schema, part.$ref), unconditional);
  };
  visit(schema, true);
  return names.size === 0 && !declaresNone(schema) ? undefined : { names, alwaysPresent };
}

/** `"properties": {}` declares explicitly that there are no inputs. */
function declaresNone(schema: Json | undefined): boolean {
  return isObject(schema) && isObject(schema.properties);
}

function resolveLocal(schema: Json | undefined, reference: string): Json | undefined {
  if (!reference.startsWith('#/')) return undefined;
  let current: Json | undefined = schema;
  for (const raw of reference.slice(2).split('/')) {
    const step = raw.replaceAll('~1', '/').replaceAll('~0', '~');
    current = isObject(current) && Object.hasOwn(current, step) ? current[step] : undefined;
  }
  return current;
}

/** The input schema of a tool that has none: its placeholders, all required. */
export function schemaFromPlaceholders(names: readonly string[]): JsonObject {
  const properties = Object.fromEntries(
    names.map((name) => [name, { type: ['string', 'number', 'boolean'] }]),
  );
  return {
    type: 'object',
    properties,
    ...(names.length === 0 ? {} : { required: names }),
    additionalProperties: false,
  };
}
