import { isObject, type Json, type JsonObject } from '../../model/json.js';
import { listOf, objectOf } from './shape.js';

/** The properties that an input schema knows, wherever in it they are declared. */
export interface DeclaredInputs {
  readonly names: ReadonlySet<string>;
  /** Always there once the input was checked: required, or with a default. */
  readonly certain: ReadonlySet<string>;
}

const maxSteps = 500;

/** Undefined when the schema says nothing of properties. */
export function declaredInputs(schema: Json | undefined): DeclaredInputs | undefined {
  const names = new Set<string>();
  const certain = new Set<string>();
  let steps = 0;
  const visit = (part: Json | undefined, sure: boolean): void => {
    if (!isObject(part) || ++steps > maxSteps) return;
    for (const [name, property] of Object.entries(objectOf(part.properties))) {
      names.add(name);
      if (sure && isObject(property) && Object.hasOwn(property, 'default')) certain.add(name);
    }
    if (sure) for (const name of listOf(part.required)) if (typeof name === 'string') certain.add(name);
    for (const item of listOf(part.allOf)) visit(item, sure);
    for (const item of [...listOf(part.anyOf), ...listOf(part.oneOf)]) visit(item, false);
    for (const item of [part.if, part.then, part.else]) visit(item, false);
    for (const item of Object.values(objectOf(part.dependentSchemas))) visit(item, false);
    if (typeof part.$ref === 'string') visit(local(schema, part.$ref), sure);
  };
  visit(schema, true);
  return names.size === 0 && !saysNone(schema) ? undefined : { names, certain };
}

/** `"properties": {}` says that there is nothing to hand in. */
function saysNone(schema: Json | undefined): boolean {
  return isObject(schema) && isObject(schema.properties);
}

function local(schema: Json | undefined, reference: string): Json | undefined {
  if (!reference.startsWith('#/')) return undefined;
  let current: Json | undefined = schema;
  for (const raw of reference.slice(2).split('/')) {
    const step = raw.replaceAll('~1', '/').replaceAll('~0', '~');
    current = isObject(current) && Object.hasOwn(current, step) ? current[step] : undefined;
  }
  return current;
}

/** What a tool without an input schema takes: its holes, or nothing. */
export function schemaOfHoles(names: readonly string[]): JsonObject {
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
