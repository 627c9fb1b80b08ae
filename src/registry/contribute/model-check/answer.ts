import { isObject } from '../../../model/json.js';
import { type JsonLimits, tryParseBounded } from '../../../model/json-bounds.js';
import { type ModelCategory, manipulationKinds } from './text-model.js';

const limits: JsonLimits = { bytes: 256 * 1024, depth: 4, values: 20_000 };
const categories: ReadonlySet<string> = new Set(['none', ...manipulationKinds]);

/**
 * The categories by id. Undefined for anything but a complete answer: other members, ids that were not asked, twice or
 * not at all, other categories, or a word around the JSON object.
 */
export function readAnswer(
  text: string,
  ids: readonly string[],
): ReadonlyMap<string, ModelCategory> | undefined {
  const value = tryParseBounded(text.trim(), limits);
  if (!hasOnly(value, ['answers']) || !Array.isArray(value.answers)) return undefined;
  const asked = new Set(ids);
  const found = new Map<string, ModelCategory>();
  for (const it of value.answers) {
    if (!hasOnly(it, ['category', 'id'])) return undefined;
    const { id, category } = it;
    if (typeof id !== 'string' || typeof category !== 'string') return undefined;
    if (!asked.has(id) || found.has(id) || !categories.has(category)) return undefined;
    found.set(id, category as ModelCategory);
  }
  return found.size === asked.size ? found : undefined;
}

function hasOnly(value: unknown, names: readonly string[]): value is Record<string, unknown> {
  return isObject(value) && Object.keys(value).sort().join() === names.join();
}
