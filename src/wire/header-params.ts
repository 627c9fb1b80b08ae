import { isObject, type Json } from '../model/json.js';

/** An argument that is repeated in a header, because its schema has `x-mcp-header`. */
export interface HeaderParam {
  readonly path: readonly string[];
  /** In lower case. */
  readonly header: string;
}

const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** Pure: a schema is never changed, and its entry disappears with it. */
const cache = new WeakMap<object, readonly HeaderParam[]>();

/** Finds `x-mcp-header` in nested properties. Invalid or repeated names are ignored. */
export function headerParamsOf(schema: Json | undefined): readonly HeaderParam[] {
  if (!isObject(schema)) return [];
  let params = cache.get(schema);
  if (params === undefined) {
    params = find(schema, [], new Set());
    cache.set(schema, params);
  }
  return params;
}

function find(schema: Json, path: readonly string[], seen: Set<string>): HeaderParam[] {
  if (!isObject(schema) || !isObject(schema.properties)) return [];
  return Object.entries(schema.properties).flatMap(([key, property]) => {
    if (!isObject(property)) return [];
    const at = [...path, key];
    const mark = property['x-mcp-header'];
    if (typeof mark !== 'string') return find(property, at, seen);
    const name = `mcp-param-${mark.toLowerCase()}`;
    if (!token.test(mark) || seen.has(name)) return [];
    seen.add(name);
    return [{ path: at, header: name }];
  });
}
