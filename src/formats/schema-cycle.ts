import { isObject, type Json, type JsonObject, type JsonPath } from '../model/json.js';

/**
 * The path of a reference that refers to itself without descending into the value, so that validation would never end.
 * Null when there is none. A reference below "properties" or "items" is not a cycle, because values have finite depth.
 */
export function findCyclicReference(schema: Json): JsonPath | null {
  const state = new Map<JsonObject, 'open' | 'done'>();
  const visit = (node: Json | undefined, path: JsonPath): JsonPath | null => {
    if (!isObject(node) || state.get(node) === 'done') return null;
    state.set(node, 'open');
    for (const [next, at] of appliedSchemas(schema, node, path)) {
      if (isObject(next) && state.get(next) === 'open') return at;
      const found = visit(next, at);
      if (found !== null) return found;
    }
    state.set(node, 'done');
    return null;
  };
  // Start at every nested schema.
  const search = (node: Json, path: JsonPath): JsonPath | null => {
    const found = visit(node, path);
    if (found !== null) return found;
    for (const [key, member] of members(node)) {
      const deeper = search(member, [...path, key]);
      if (deeper !== null) return deeper;
    }
    return null;
  };
  return search(schema, []);
}

/** Limit against schemas built to be slow: definitions that use each other twice double the cost at every step. */
const maxChecks = 10_000;

/** Whether validating one value takes too many steps. The schema must have no cyclic reference. */
export function isTooExpensive(schema: Json): boolean {
  const costs = new Map<JsonObject, number>();
  const cost = (node: Json | undefined): number => {
    if (!isObject(node)) return 1;
    let total = costs.get(node);
    if (total === undefined) {
      total = 1;
      for (const [next] of appliedSchemas(schema, node, [])) if (next !== undefined) total += cost(next);
      costs.set(node, total);
    }
    return total;
  };
  const search = (node: Json): boolean =>
    cost(node) > maxChecks || members(node).some(([, member]) => search(member));
  return search(schema);
}

function members(node: Json): readonly (readonly [string | number, Json])[] {
  if (Array.isArray(node)) return [...node.entries()];
  return isObject(node) ? Object.entries(node) : [];
}

/** The schemas that a schema applies to the same value, with their paths. */
function appliedSchemas(root: Json, node: JsonObject, path: JsonPath): [Json | undefined, JsonPath][] {
  const found: [Json | undefined, JsonPath][] = [];
  for (const keyword of ['$ref', '$dynamicRef']) {
    const reference = node[keyword];
    if (typeof reference === 'string') found.push([resolveReference(root, reference), [...path, keyword]]);
  }
  for (const keyword of ['not', 'if', 'then', 'else']) found.push([node[keyword], [...path, keyword]]);
  for (const keyword of ['allOf', 'anyOf', 'oneOf', 'dependentSchemas']) {
    for (const [key, member] of members(node[keyword] ?? null)) found.push([member, [...path, keyword, key]]);
  }
  return found;
}

function resolveReference(root: Json, reference: string): Json | undefined {
  if (reference === '#') return root;
  let current: Json | undefined = reference.startsWith('#/') ? root : undefined;
  for (const raw of reference.split('/').slice(1)) {
    const step = raw.replaceAll('~1', '/').replaceAll('~0', '~');
    if (Array.isArray(current)) current = current[Number(step)];
    else current = isObject(current) && Object.hasOwn(current, step) ? current[step] : undefined;
  }
  return current;
}
