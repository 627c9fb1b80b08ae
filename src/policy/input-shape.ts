import { isObject, type Json, type JsonObject, type JsonSchema } from '../model/json.js';

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
  // Objects and lists, and their levels. Two lists of simple values cost less than one of pairs.
  const pending: (JsonObject | readonly Json[])[] = [];
  const levels: number[] = [];
  const add = (part: Json, level: number): boolean => {
    size += 8;
    if (typeof part === 'string') size += part.length;
    else if (typeof part === 'object' && part !== null) {
      pending.push(part);
      levels.push(level);
    }
    return level <= maxDepth;
  };
  if (!add(value, 0)) return null;
  for (let part = pending.pop(); part !== undefined; part = pending.pop()) {
    const level = (levels.pop() as number) + 1;
    if (Array.isArray(part)) {
      for (const item of part as readonly Json[]) if (!add(item, level)) return null;
      continue;
    }
    for (const name of Object.keys(part)) {
      size += name.length;
      if (!add((part as JsonObject)[name] as Json, level)) return null;
    }
  }
  return size;
}
