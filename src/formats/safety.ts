// Fields whose loss would weaken a tool, as the schemas mark them with "x-toolwharf": {"safety": true}.
import { isObject, type Json, type JsonObject } from '../model/json.js';
import { fold } from './suggest.js';

/** Words that stand for other things elsewhere in a manifest, so that a stray one means nothing. */
const common = new Set(['input', 'output', 'inputs', 'tools', 'actions', 'items', 'action']);

const known = new WeakMap<JsonObject, ReadonlyMap<string, string>>();

/** Where each safety field belongs, by its folded name. */
export function safetyPlaces(root: JsonObject): ReadonlyMap<string, string> {
  let places = known.get(root);
  if (places === undefined) {
    const found = new Map<string, string>();
    visit(root, root, [], found, 0);
    places = found;
    known.set(root, places);
  }
  return places;
}

function visit(
  node: Json | undefined,
  root: JsonObject,
  path: string[],
  found: Map<string, string>,
  depth: number,
): void {
  if (!isObject(node) || depth > 8) return;
  const here = behind(node, root);
  if (isObject(here.properties)) {
    for (const [name, property] of Object.entries(here.properties)) {
      const place = [...path, name];
      if (isObject(property) && guards(property, root) && !common.has(name) && !found.has(fold(name))) {
        found.set(fold(name), place.join('.'));
      }
      visit(property, root, place, found, depth + 1);
    }
  }
  visit(
    here.items,
    root,
    path.length === 0 ? path : [...path.slice(0, -1), `${path.at(-1)}[]`],
    found,
    depth + 1,
  );
  visit(here.additionalProperties, root, [...path, '<name>'], found, depth + 1);
}

/** Whether a field is a safety field, or holds one. */
export function guards(node: JsonObject, root: JsonObject, depth = 0): boolean {
  if (depth > 6) return false;
  const here = behind(node, root);
  if (isObject(here['x-toolwharf']) && here['x-toolwharf'].safety === true) return true;
  const inside = [
    here.items,
    here.additionalProperties,
    ...(isObject(here.properties) ? Object.values(here.properties) : []),
  ];
  return inside.some((it) => isObject(it) && guards(it, root, depth + 1));
}

function behind(node: JsonObject, root: JsonObject): JsonObject {
  if (typeof node.$ref !== 'string') return node;
  let target: Json | undefined = root;
  for (const step of node.$ref.split('/').slice(1)) target = isObject(target) ? target[step] : undefined;
  return isObject(target) ? { ...behind(target, root), ...node, $ref: '' } : node;
}
