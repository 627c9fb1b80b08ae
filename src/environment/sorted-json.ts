import { sha256 } from '../files/sha256.js';

/** JSON with sorted keys: equal values have equal text, whatever the order of their keys was. */
export function sortedJson(value: unknown): string {
  return JSON.stringify(value, (_, it) =>
    it !== null && typeof it === 'object' && !Array.isArray(it)
      ? Object.fromEntries(Object.entries(it).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
      : it,
  );
}

export function sortedJsonDigest(value: unknown): string {
  return sha256(sortedJson(value));
}
