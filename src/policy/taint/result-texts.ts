import type { Json, JsonPath } from '../../model/json.js';
import { joinedPieces } from './split-runs.js';

/** Calls `add` with each key and scalar of a result, and with what short values beside each other are together. */
export function eachText(value: Json, path: JsonPath, add: (text: string, path: JsonPath) => void): void {
  if (typeof value === 'string' || typeof value === 'number') add(String(value), path);
  if (typeof value !== 'object' || value === null) return;
  const isList = Array.isArray(value);
  for (const [key, it] of Object.entries(value)) {
    if (!isList) add(key, path);
    eachText(it, [...path, isList ? Number(key) : key], add);
  }
  const joined = joinedPieces(Object.values(value));
  if (joined !== undefined) add(joined, path);
}
