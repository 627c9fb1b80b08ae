import { amountNames } from '../model/guardrails.js';
import { isObject, type JsonObject, type JsonSchema } from '../model/json.js';

/** How much a call is worth, as far as it can be told. */
export type Amount =
  /** The tool has no input that says so: there is nothing to hold it to. */
  | { readonly kind: 'none' }
  | { readonly kind: 'known'; readonly value: number }
  | { readonly kind: 'unclear'; readonly why: string };

/**
 * Reads the amount of a call. A number is an amount; anything else in its place is unclear, because a tool may read a
 * text or nothing at all as a number of its own. Of several amounts the largest counts.
 */
export function amountOf(input: JsonObject, schema: JsonSchema): Amount {
  const given = amountNames.filter((it) => Object.hasOwn(input, it));
  for (const name of given) {
    const value = input[name];
    if (typeof value !== 'number' || !Number.isFinite(value))
      return { kind: 'unclear', why: `${name} is not a number` };
    if (value < 0) return { kind: 'unclear', why: `${name} is less than nothing` };
  }
  if (given.length > 0) return { kind: 'known', value: Math.max(...given.map((it) => input[it] as number)) };
  const declared = isObject(schema) && isObject(schema.properties) ? schema.properties : {};
  const missing = amountNames.filter((it) => Object.hasOwn(declared, it));
  return missing.length === 0
    ? { kind: 'none' }
    : { kind: 'unclear', why: `${missing.join(' or ')} was left out, and the tool would choose it` };
}
