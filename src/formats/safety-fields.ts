// Safety fields: fields that restrict a tool. Schemas mark them with "x-toolwharf": {"safety": true}.
import { isObject, type Json, type JsonObject } from '../model/json.js';
import { fold } from './suggest.js';

/** Names that have other meanings elsewhere in a manifest, so they are not reported at the wrong place. */
const ambiguousNames = new Set(['input', 'output', 'inputs', 'tools', 'actions', 'items', 'action']);

/** Pure: a schema is never changed, and its entry disappears with it. */
const cache = new WeakMap<JsonObject, ReadonlyMap<string, string>>();

/** The path of each safety field, by its folded name. */
export function safetyFieldPaths(root: JsonObject): ReadonlyMap<string, string> {
  let paths = cache.get(root);
  if (paths === undefined) {
    const found = new Map<string, string>();
    visit(root, root, [], found, 0);
    paths = found;
    cache.set(root, paths);
  }
  return paths;
}

function visit(
  node: Json | undefined,
  root: JsonObject,
  path: string[],
  found: Map<string, string>,
  depth: number,
): void {
  if (!isObject(node) || depth > 8) return;
  const schema = resolve(node, root);
  if (isObject(schema.properties)) {
    for (const [name, property] of Object.entries(schema.properties)) {
      const place = [...path, name];
      if (
        isObject(property) &&
        isSafetyField(property, root) &&
        !ambiguousNames.has(name) &&
        !found.has(fold(name))
      ) {
        found.set(fold(name), place.join('.'));
      }
      visit(property, root, place, found, depth + 1);
    }
  }
  visit(
    schema.items,
    root,
    path.length === 0 ? path : [...path.slice(0, -1), `${path.at(-1)}[]`],
    found,
    depth + 1,
  );
  visit(schema.additionalProperties, root, [...path, '<name>'], found, depth + 1);
}

/** Whether a field is a safety field or contains one. */
export function isSafetyField(node: JsonObject, root: JsonObject, depth = 0): boolean {
  if (depth > 6) return false;
  const schema = resolve(node, root);
  if (isObject(schema['x-toolwharf']) && schema['x-toolwharf'].safety === true) return true;
  const inside = [
    schema.items,
    schema.additionalProperties,
    ...(isObject(schema.properties) ? Object.values(schema.properties) : []),
  ];
  return inside.some((it) => isObject(it) && isSafetyField(it, root, depth + 1));
}

function resolve(node: JsonObject, root: JsonObject): JsonObject {
  if (typeof node.$ref !== 'string') return node;
  let target: Json | undefined = root;
  for (const step of node.$ref.split('/').slice(1)) target = isObject(target) ? target[step] : undefined;
  return isObject(target) ? { ...resolve(target, root), ...node, $ref: '' } : node;
}
