import { isObject, type Json } from '../model/json.js';

/** An argument that comes a second time in a header, because its schema says so with `x-mcp-header`. */
export interface Mark {
  readonly path: readonly string[];
  /** The header in lower case. */
  readonly header: string;
}

const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const known = new WeakMap<object, readonly Mark[]>();

/** Only what every object of the schema has in one place; a mark elsewhere, or one that is no name, is none. */
export function marksOf(schema: Json | undefined): readonly Mark[] {
  if (!isObject(schema)) return [];
  let marks = known.get(schema);
  if (marks === undefined) {
    marks = find(schema, [], new Set());
    known.set(schema, marks);
  }
  return marks;
}

function find(schema: Json, path: readonly string[], seen: Set<string>): Mark[] {
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
