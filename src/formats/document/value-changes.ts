import { isObject, type Json } from '../../model/json.js';
import type { ValueChange } from '../manifest-editor.js';

/** The smallest changes that lead from one value to another. A list with another length changes as a whole. */
export function changesBetween(before: Json, after: Json): readonly ValueChange[] {
  const changes: ValueChange[] = [];
  const visit = (old: Json, now: Json, path: readonly (string | number)[]): void => {
    if (isObject(old) && isObject(now)) {
      for (const key of Object.keys(old))
        if (!Object.hasOwn(now, key)) changes.push({ path: [...path, key], value: undefined });
      for (const [key, value] of Object.entries(now)) {
        if (!Object.hasOwn(old, key)) changes.push({ path: [...path, key], value });
        else visit(old[key] as Json, value, [...path, key]);
      }
    } else if (Array.isArray(old) && Array.isArray(now) && old.length === now.length) {
      for (const [index, it] of now.entries()) visit(old[index] as Json, it, [...path, index]);
    } else if (JSON.stringify(old) !== JSON.stringify(now)) changes.push({ path, value: now });
  };
  visit(before, after, []);
  return changes;
}
