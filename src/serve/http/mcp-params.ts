import type { IncomingHttpHeaders } from 'node:http';
import { isObject, type Json } from '../../model/json.js';
import { decoded, header } from './mcp-headers.js';

interface Mirrored {
  readonly path: readonly string[];
  /** The header in lower case. */
  readonly header: string;
}

const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const mirrored = new WeakMap<object, readonly Mirrored[]>();

/**
 * Arguments that a schema marks with `x-mcp-header` come a second time in a header. Whatever stands between judges by
 * the header, so both must say the same.
 */
export function wrongParam(
  schema: Json | undefined,
  given: Json | undefined,
  headers: IncomingHttpHeaders,
): string | undefined {
  if (!isObject(schema)) return undefined;
  let marks = mirrored.get(schema);
  if (marks === undefined) {
    marks = marksOf(schema, [], new Set());
    mirrored.set(schema, marks);
  }
  for (const { path, header: name } of marks) {
    const value = valueAt(given, path);
    // What is no plain value cannot be in a header; the check of the arguments has a better word for it.
    if (typeof value === 'object' && value !== null) continue;
    const written = header(headers, name);
    if (value === undefined || value === null) {
      if (written !== undefined) return `${name} is given, the argument ${path.join('.')} is not`;
      continue;
    }
    if (written === undefined) return `the header ${name} is missing`;
    const text = decoded(written);
    if (text === undefined) return `the header ${name} is not rightly encoded`;
    const same = typeof value === 'number' ? text !== '' && Number(text) === value : text === String(value);
    if (!same) return `${name} is not what the argument ${path.join('.')} says`;
  }
  return undefined;
}

/** Only what every object of the schema has in one place; a mark elsewhere, or one that is no name, is none. */
function marksOf(schema: Json, path: readonly string[], seen: Set<string>): Mirrored[] {
  if (!isObject(schema) || !isObject(schema.properties)) return [];
  return Object.entries(schema.properties).flatMap(([key, property]) => {
    if (!isObject(property)) return [];
    const at = [...path, key];
    const mark = property['x-mcp-header'];
    if (typeof mark !== 'string') return marksOf(property, at, seen);
    const name = `mcp-param-${mark.toLowerCase()}`;
    if (!token.test(mark) || seen.has(name)) return [];
    seen.add(name);
    return [{ path: at, header: name }];
  });
}

function valueAt(value: Json | undefined, path: readonly string[]): Json | undefined {
  let at = value;
  for (const key of path) {
    if (!isObject(at) || !Object.hasOwn(at, key)) return undefined;
    at = at[key];
  }
  return at;
}
