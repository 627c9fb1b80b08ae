import { isObject, type Json } from '../../model/json.js';
import type { ArgumentValues } from '../host.js';

/** The most values that MCP allows in one answer. */
const maxValues = 100;

/** The answer of a server to `completion/complete`. What is not a value is left out. */
export function readCompletion(result: Json): ArgumentValues {
  const given = isObject(result) && isObject(result.completion) ? result.completion : {};
  const list = Array.isArray(given.values) ? given.values : [];
  const values = list.filter((it): it is string => typeof it === 'string');
  return {
    values: values.slice(0, maxValues),
    ...(Number.isInteger(given.total) ? { total: given.total as number } : {}),
    ...(typeof given.hasMore === 'boolean' ? { hasMore: given.hasMore } : {}),
  };
}
