import { amountInputNames } from '../../model/guardrails.js';
import { isObject, type JsonObject, type JsonSchema } from '../../model/json.js';

/** The amount of money that a call spends, if its arguments state one. */
export type Amount =
  /** The tool has no input for an amount, so no cap applies. */
  | { readonly kind: 'none' }
  | { readonly kind: 'known'; readonly value: number }
  | { readonly kind: 'unclear'; readonly why: string };

/**
 * Reads the amount of a call. Only a number counts. Anything else is unclear, because a tool may turn a text or a
 * missing value into a number of its own. Of several amounts the largest counts.
 */
export function amountOf(input: JsonObject, schema: JsonSchema): Amount {
  const given = amountInputNames.filter((it) => Object.hasOwn(input, it));
  for (const name of given) {
    const value = input[name];
    if (typeof value !== 'number' || !Number.isFinite(value))
      return { kind: 'unclear', why: `${name} is not a number` };
    if (value < 0) return { kind: 'unclear', why: `${name} is negative` };
  }
  if (given.length > 0) return { kind: 'known', value: Math.max(...given.map((it) => input[it] as number)) };
  const declared = isObject(schema) && isObject(schema.properties) ? schema.properties : {};
  const missing = amountInputNames.filter((it) => Object.hasOwn(declared, it));
  return missing.length === 0
    ? { kind: 'none' }
    : { kind: 'unclear', why: `${missing.join(' or ')} is missing, so the tool would choose it` };
}
