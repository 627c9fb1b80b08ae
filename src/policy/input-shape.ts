import { isObject, type Json, type JsonSchema } from '../model/json.js';

/** The structure of a value without its content, for the audit log. Only names that the schema declares appear. */
export function shapeOf(value: Json, schema?: Json | JsonSchema, depth = 0): Json {
  if (typeof value === 'string') return `text(${value.length})`;
  if (value === null) return 'null';
  if (typeof value !== 'object') return typeof value;
  if (depth >= 4) return Array.isArray(value) ? 'list' : 'object';
  const known = isObject(schema) ? schema : {};
  if (Array.isArray(value)) {
    return value.length === 0 ? [] : [shapeOf(value[0] as Json, known.items, depth + 1), `× ${value.length}`];
  }
  const properties = isObject(known.properties) ? known.properties : {};
  const shape: Record<string, Json> = {};
  let others = 0;
  for (const [name, member] of Object.entries(value)) {
    if (Object.hasOwn(properties, name)) shape[name] = shapeOf(member, properties[name], depth + 1);
    else others++;
  }
  return others === 0 ? shape : { ...shape, '(others)': others };
}

/** The approximate size of the value as JSON, in bytes; null if it is nested deeper than `maxDepth`. */
export function sizeOf(value: Json, maxDepth: number): number | null {
  let size = 0;
  const pending: [Json, number][] = [[value, 0]];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const [part, depth] = next;
    if (depth > maxDepth) return null;
    size += 8;
    if (typeof part === 'string') size += part.length;
    else if (Array.isArray(part)) for (const item of part) pending.push([item, depth + 1]);
    else if (isObject(part)) {
      for (const [name, member] of Object.entries(part)) {
        size += name.length;
        pending.push([member, depth + 1]);
      }
    }
  }
  return size;
}
