import { isObject, type Json } from '../model/json.js';

/** What a value looks like without what it says, for the record. */
export function shapeOf(value: Json, depth = 0): Json {
  if (typeof value === 'string') return `text(${value.length})`;
  if (value === null) return 'null';
  if (typeof value !== 'object') return typeof value;
  if (depth >= 4) return Array.isArray(value) ? 'list' : 'object';
  if (Array.isArray(value))
    return value.length === 0 ? [] : [shapeOf(value[0] as Json, depth + 1), `× ${value.length}`];
  if (!isObject(value)) return 'object';
  return Object.fromEntries(
    Object.entries(value)
      .slice(0, 64)
      .map(([name, member]) => [name, shapeOf(member, depth + 1)]),
  );
}
