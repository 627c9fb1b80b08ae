import { isObject, type Json, type JsonObject, type JsonPath } from '../model/json.js';

/**
 * The place of a reference that leads back to itself before any value has been looked into: checking a value against
 * it would never end. Null when there is none. References to places deeper in a value are fine: values end.
 */
export function endlessReference(schema: Json): JsonPath | null {
  const state = new Map<JsonObject, 'open' | 'done'>();
  const visit = (node: Json | undefined, path: JsonPath): JsonPath | null => {
    if (!isObject(node) || state.get(node) === 'done') return null;
    state.set(node, 'open');
    for (const [next, at] of samePlace(schema, node, path)) {
      if (isObject(next) && state.get(next) === 'open') return at;
      const found = visit(next, at);
      if (found !== null) return found;
    }
    state.set(node, 'done');
    return null;
  };
  // Every schema inside is a start of its own.
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

/** More judgments of one value than this are an attack: definitions that use each other double at every step. */
const maxJudgements = 10_000;

/** Whether judging one value takes absurdly many steps. The schema has no endless reference. */
export function explodes(schema: Json): boolean {
  const known = new Map<JsonObject, number>();
  const cost = (node: Json | undefined): number => {
    if (!isObject(node)) return 1;
    let total = known.get(node);
    if (total === undefined) {
      total = 1;
      for (const [next] of samePlace(schema, node, [])) if (next !== undefined) total += cost(next);
      known.set(node, total);
    }
    return total;
  };
  const search = (node: Json): boolean =>
    cost(node) > maxJudgements || members(node).some(([, member]) => search(member));
  return search(schema);
}

function members(node: Json): readonly (readonly [string | number, Json])[] {
  if (Array.isArray(node)) return [...node.entries()];
  return isObject(node) ? Object.entries(node) : [];
}

/** Schemas that judge the very value that this one judges. */
function samePlace(root: Json, node: JsonObject, path: JsonPath): [Json | undefined, JsonPath][] {
  const found: [Json | undefined, JsonPath][] = [];
  for (const keyword of ['$ref', '$dynamicRef']) {
    const reference = node[keyword];
    if (typeof reference === 'string') found.push([target(root, reference), [...path, keyword]]);
  }
  for (const keyword of ['not', 'if', 'then', 'else']) found.push([node[keyword], [...path, keyword]]);
  for (const keyword of ['allOf', 'anyOf', 'oneOf', 'dependentSchemas']) {
    for (const [key, member] of members(node[keyword] ?? null)) found.push([member, [...path, keyword, key]]);
  }
  return found;
}

function target(root: Json, reference: string): Json | undefined {
  if (reference === '#') return root;
  let current: Json | undefined = reference.startsWith('#/') ? root : undefined;
  for (const raw of reference.split('/').slice(1)) {
    const step = raw.replaceAll('~1', '/').replaceAll('~0', '~');
    if (Array.isArray(current)) current = current[Number(step)];
    else current = isObject(current) && Object.hasOwn(current, step) ? current[step] : undefined;
  }
  return current;
}
